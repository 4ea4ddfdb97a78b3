import { item, notTestable, type Script } from '../script.js';
import { CASH, TAKEOUT } from './orders.js';
import {
  CANCELLATION_ACCEPTED,
  CANCELLED_BY_CUSTOMER,
  CANCELLED_BY_STORE,
  RECEIVED_TWICE,
} from './scenes.js';

/** The acceptance list of Pedidos10. */
export const pedidos10: Script = {
  name: 'pedidos10',
  host: 'pedidos10',
  title: { en: 'Pedidos10: acceptance list', pt: 'Pedidos10: lista de aceite' },
  source: {
    en: 'Pedidos10, acceptance list of twelve items, as public documents describe it in November 2026; not tested at the host. Most are those of 99Food in other words; the numbers are ours.',
    pt: 'Pedidos10, lista de aceite de doze itens, como documentos públicos a descrevem em novembro de 2026; não testado no host. A maioria é da lista da 99Food, em outras palavras; a numeração é nossa.',
  },
  orders: {
    cash: CASH,
    takeout: TAKEOUT,
  },
  items: [
    item({ id: '1' }, 'A token is requested and accepted', 'Um token é solicitado e aceito', [
      { requests: 'polling' },
      { authorizes: true },
    ]),
    item(
      { id: '2', order: 'cash' },
      'An order is received, shown and confirmed',
      'Um pedido é recebido, mostrado e confirmado',
      [{ sends: 'confirm' }, { shows: ['number', 'item', 'itemNote', 'total'] }],
    ),
    item({ id: '3', order: 'cash' }, 'Ready: readyForPickup', 'Pronto: readyForPickup', [
      { do: 'readyForPickup' },
    ]),
    item({ id: '4', order: 'cash' }, 'Dispatched: dispatch', 'Despachado: dispatch', [{ do: 'dispatch' }]),
    item({ id: '5', order: 'cash' }, 'Delivered: delivered', 'Entregue: delivered', [
      { do: 'delivered' },
      { emit: 'CONCLUDED' },
      { shows: ['stageConcluded'] },
    ]),
    item(
      { id: '6', order: 'cancelled' },
      'Cancelled by the store',
      'Cancelado pela loja',
      CANCELLED_BY_STORE,
    ),
    item(
      { id: '7', order: 'byCustomer' },
      'Cancelled by the other side',
      'Cancelado pelo cliente ou pela plataforma',
      CANCELLED_BY_CUSTOMER,
    ),
    item(
      { id: '7a', order: 'asked' },
      'A request to cancel is answered',
      'Uma solicitação de cancelamento é respondida',
      CANCELLATION_ACCEPTED,
    ),
    item(
      { id: '8', order: 'takeout' },
      'TAKEOUT: confirmed, ready, picked up',
      'TAKEOUT: confirmado, pronto, retirado',
      [{ sends: 'confirm' }, { do: 'readyForPickup' }, { do: 'pickedUp' }, { acknowledges: true }],
    ),
    item(
      { id: '9', order: 'twice' },
      'A duplicate order is not doubled',
      'Um pedido recebido de novo não é duplicado',
      RECEIVED_TWICE,
    ),
    item(
      { id: '10a', order: 'pushed', alone: true },
      'The webhook takes an order: 204 or 200, and it is confirmed',
      'O webhook recebe um pedido: 204 ou 200, e ele é confirmado',
      [{ push: 'signed', answers: [204, 200] }, { sends: 'confirm' }],
    ),
    item(
      { id: '10b', order: 'unsigned', alone: true },
      'The webhook without token: 401',
      'O webhook sem token: 401',
      [{ push: 'unsigned', answers: [401] }],
    ),
    item(
      { id: '11', order: 'otherShop', alone: true },
      'The webhook for an unknown merchant: 404',
      'O webhook para uma loja desconhecida: 404',
      [{ push: 'other shop', answers: [404] }],
    ),
    item(
      { id: 'end', alone: true },
      'At the end no event is pending, and no rule was broken',
      'No fim, nenhum evento está pendente, e nenhuma regra foi violada',
      [
        { leaves: 'nothing pending' },
        { leaves: 'nothing refused' },
        { polls: 'apart' },
        {
          keeps: [
            'acknowledgment-body',
            'acknowledgment-size',
            'command-body',
            'content-type',
            'unknown-path',
            'event-filter',
            'limit',
          ],
        },
      ],
    ),
  ],
  notTestable: [
    notTestable(
      '12',
      'GET /merchant is valid',
      'GET /merchant é válido',
      'the software of the store serves this document to Pedidos10; in the rehearsal the hub serves it. Check yours with `opendelivery menu`',
      'o software da loja fornece este documento ao Pedidos10; no ensaio, é o hub que o fornece. Verifique o seu com `opendelivery menu`',
    ),
  ],
};
