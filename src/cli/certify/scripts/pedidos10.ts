import type { Script } from '../script.js';
import { CASH, PLAIN, TAKEOUT } from './orders.js';
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
    cancelled: PLAIN,
    byCustomer: PLAIN,
    asked: PLAIN,
    twice: PLAIN,
    pushed: PLAIN,
    unsigned: PLAIN,
    otherShop: PLAIN,
  },
  items: [
    {
      id: '1',
      title: { en: 'A token is requested and accepted', pt: 'Um token é solicitado e aceito' },
      steps: [{ requests: 'polling' }, { authorizes: true }],
    },
    {
      id: '2',
      order: 'cash',
      title: {
        en: 'An order is received, shown and confirmed',
        pt: 'Um pedido é recebido, mostrado e confirmado',
      },
      steps: [{ sends: 'confirm' }, { shows: ['number', 'item', 'itemNote', 'total'] }],
    },
    {
      id: '3',
      order: 'cash',
      title: { en: 'Ready: readyForPickup', pt: 'Pronto: readyForPickup' },
      steps: [{ do: 'readyForPickup' }],
    },
    {
      id: '4',
      order: 'cash',
      title: { en: 'Dispatched: dispatch', pt: 'Despachado: dispatch' },
      steps: [{ do: 'dispatch' }],
    },
    {
      id: '5',
      order: 'cash',
      title: { en: 'Delivered: delivered', pt: 'Entregue: delivered' },
      steps: [{ do: 'delivered' }, { emit: 'CONCLUDED' }, { shows: ['stageConcluded'] }],
    },
    {
      id: '6',
      order: 'cancelled',
      title: { en: 'Cancelled by the store', pt: 'Cancelado pela loja' },
      steps: CANCELLED_BY_STORE,
    },
    {
      id: '7',
      order: 'byCustomer',
      title: { en: 'Cancelled by the other side', pt: 'Cancelado pelo cliente ou pela plataforma' },
      steps: CANCELLED_BY_CUSTOMER,
    },
    {
      id: '7a',
      order: 'asked',
      title: {
        en: 'A request to cancel is answered',
        pt: 'Uma solicitação de cancelamento é respondida',
      },
      steps: CANCELLATION_ACCEPTED,
    },
    {
      id: '8',
      order: 'takeout',
      title: { en: 'TAKEOUT: confirmed, ready, picked up', pt: 'TAKEOUT: confirmado, pronto, retirado' },
      steps: [{ sends: 'confirm' }, { do: 'readyForPickup' }, { do: 'pickedUp' }, { acknowledges: true }],
    },
    {
      id: '9',
      order: 'twice',
      title: { en: 'A duplicate order is not doubled', pt: 'Um pedido recebido de novo não é duplicado' },
      steps: RECEIVED_TWICE,
    },
    {
      id: '10a',
      alone: true,
      order: 'pushed',
      title: {
        en: 'The webhook takes an order: 204 or 200, and it is confirmed',
        pt: 'O webhook recebe um pedido: 204 ou 200, e ele é confirmado',
      },
      steps: [{ push: 'signed', answers: [204, 200] }, { sends: 'confirm' }],
    },
    {
      id: '10b',
      alone: true,
      order: 'unsigned',
      title: { en: 'The webhook without token: 401', pt: 'O webhook sem token: 401' },
      steps: [{ push: 'unsigned', answers: [401] }],
    },
    {
      id: '11',
      alone: true,
      order: 'otherShop',
      title: {
        en: 'The webhook for an unknown merchant: 404',
        pt: 'O webhook para uma loja desconhecida: 404',
      },
      steps: [{ push: 'other shop', answers: [404] }],
    },
    {
      id: 'end',
      alone: true,
      title: {
        en: 'At the end no event is pending, and no rule was broken',
        pt: 'No fim, nenhum evento está pendente, e nenhuma regra foi violada',
      },
      steps: [
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
    },
  ],
  notTestable: [
    {
      id: '12',
      title: { en: 'GET /merchant is valid', pt: 'GET /merchant é válido' },
      reason: {
        en: 'the software of the store serves this document to Pedidos10; in the rehearsal the hub serves it. Check yours with `opendelivery menu`',
        pt: 'o software da loja fornece este documento ao Pedidos10; no ensaio, é o hub que o fornece. Verifique o seu com `opendelivery menu`',
      },
    },
  ],
};
