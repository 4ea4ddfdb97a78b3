import type { DetailName } from '../details.js';
import { item, notTestable, type Script } from '../script.js';
import { BY_HOST, CASH, TAKEOUT } from './orders.js';
import {
  CANCELLATION_ACCEPTED,
  CANCELLATION_DENIED,
  CANCELLED_BY_CUSTOMER,
  CANCELLED_BY_STORE,
  cancelledByStore,
  NOT_DELIVERED_BY_STORE,
} from './scenes.js';

/** Item 2 of the list: what is shown of the order in cash. */
const shown = (id: string, en: string, pt: string, ...shows: DetailName[]) =>
  item({ id, order: 'cash' }, en, pt, [{ shows }]);

/** 99Food's acceptance list. */
export const food99: Script = {
  name: '99food',
  host: '99food',
  title: { en: '99Food: acceptance list', pt: '99Food: lista de aceite' },
  source: {
    en: '99Food, "Roteiro de Integração OpenDelivery", acceptance list on page 27, read in November 2026; from public documents, not tested at the host.',
    pt: '99Food, “Roteiro de Integração OpenDelivery”, lista de aceite na página 27, lida em novembro de 2026; de documentos públicos, não testado no host.',
  },
  orders: {
    cash: CASH,
    byHost: BY_HOST,
    takeout: TAKEOUT,
  },
  items: [
    item(
      { id: '0' },
      'Not "connected" before a token was accepted',
      'Não “conectado” antes de um token ser aceito',
      [{ requests: 'polling' }, { authorizes: true }],
    ),
    item(
      { id: '1' },
      'The token is requested with a form, per shop',
      'O token é solicitado com um formulário, por loja',
      [{ requests: 'polling' }, { authorizes: true }, { keeps: ['content-type'] }],
    ),
    item(
      { id: '2.13', order: 'cash' },
      "An order of the store's own delivery in cash: confirmed automatically",
      'Pedido de entrega própria em dinheiro: confirmação automática',
      [{ sends: 'confirm' }, { acknowledges: true }],
    ),
    shown('2.1', 'It shows displayId', 'Mostra displayId', 'number'),
    shown(
      '2.2',
      'It shows the total: items + fees − discounts',
      'Mostra o total: itens + taxas − descontos',
      'total',
    ),
    shown('2.3', 'It shows the fee', 'Mostra a taxa', 'deliveryFee'),
    shown('2.4', 'It shows the change', 'Mostra o troco', 'change'),
    shown('2.5', 'It shows who delivers', 'Mostra quem entrega', 'byStore'),
    shown('2.6', "It shows the customer's note", 'Mostra a observação do cliente', 'customerNote'),
    shown(
      '2.7',
      'It shows the discount and who pays it',
      'Mostra o desconto e quem paga',
      'discount',
      'discountByHost',
    ),
    shown('2.8', 'It shows what is still to pay', 'Mostra o valor a cobrar', 'pending'),
    shown('2.9', 'It shows the options', 'Mostra os complementos dos itens', 'option'),
    shown('2.10', 'It shows the note of an item', 'Mostra a observação de um item', 'itemNote'),
    shown('2.11', 'It shows the complement of the address', 'Mostra o complemento do endereço', 'complement'),
    shown('2.12', 'It shows the reference of the address', 'Mostra a referência do endereço', 'reference'),
    item(
      { id: '3', order: 'cash' },
      'confirm, preparing, readyForPickup, dispatch, delivered',
      'confirm, preparing, readyForPickup, dispatch, delivered',
      [
        { sends: 'confirm' },
        { do: 'preparing' },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { do: 'delivered' },
        { emit: 'CONCLUDED' },
        { shows: ['stageConcluded'] },
      ],
    ),
    item(
      { id: '4', order: 'byHost' },
      'Delivered by 99: counts as paid, stops at readyForPickup',
      'Entrega pela 99: conta como pago, termina em readyForPickup',
      [
        { sends: 'confirm' },
        { shows: ['byHost', 'paid'] },
        { do: 'readyForPickup' },
        { emit: 'DISPATCHED' },
        { emit: 'CONCLUDED' },
        { acknowledges: true },
        ...NOT_DELIVERED_BY_STORE,
      ],
    ),
    item(
      { id: '4b', order: 'takeout' },
      'TAKEOUT: the hour is shown, no delivery, ends with pickedUp',
      'TAKEOUT: mostra a hora, sem entrega, termina com pickedUp',
      [
        { sends: 'confirm' },
        { shows: ['takeout', 'takeoutHour'] },
        { do: 'readyForPickup' },
        { do: 'pickedUp' },
        { acknowledges: true },
        ...NOT_DELIVERED_BY_STORE,
      ],
    ),
    item(
      { id: '5.1', order: 'cancelledAuto' },
      'requestCancellation with reason, one of the eleven codes, mode AUTO; the CANCELLED that returns does no harm',
      'requestCancellation com reason, um dos onze códigos, mode AUTO; o CANCELLED recebido em seguida não causa problema',
      [...CANCELLED_BY_STORE, { atMost: 1, of: 'requestCancellation' }],
    ),
    item(
      { id: '5.2', order: 'cancelledManual' },
      'requestCancellation with mode MANUAL',
      'requestCancellation com mode MANUAL',
      cancelledByStore('Chuva forte', 'RISK_AREA', 'MANUAL'),
    ),
    item(
      { id: '6', order: 'byCustomer' },
      'The customer cancelled',
      'O cliente cancelou',
      CANCELLED_BY_CUSTOMER,
    ),
    item(
      { id: '7.1', order: 'askedEarly' },
      'The customer asks to cancel before the order is ready: accept',
      'O cliente solicita o cancelamento antes de o pedido ficar pronto: aceitar',
      CANCELLATION_ACCEPTED,
    ),
    item(
      { id: '7.2', order: 'askedLate' },
      'The customer asks to cancel afterwards: deny with a reason',
      'O cliente solicita o cancelamento depois disso: recusar com um motivo',
      CANCELLATION_DENIED,
    ),
    item(
      { id: '8.1', order: 'pushed', alone: true },
      'newEvent with the right signature: 204, and the order is confirmed',
      'newEvent com assinatura correta: 204, e o pedido é confirmado',
      [{ push: 'signed', answers: [204] }, { sends: 'confirm' }],
    ),
    item(
      { id: '8.2', order: 'forged', alone: true },
      'newEvent with a wrong signature: 403',
      'newEvent com assinatura incorreta: 403',
      [{ push: 'forged', answers: [403] }],
    ),
    item(
      { id: '8.3', order: 'otherShop', alone: true },
      'newEvent for an unknown shop: 404',
      'newEvent para uma loja desconhecida: 404',
      [{ push: 'other shop', answers: [404] }],
    ),
    item(
      { id: '9.1', alone: true },
      'At the end no event is pending',
      'No fim, nenhum evento está pendente',
      [{ leaves: 'nothing pending' }, { keeps: ['acknowledgment-body', 'acknowledgment-size'] }],
    ),
    item({ id: '9.2', alone: true }, 'The list of refusals is empty', 'A lista de recusas está vazia', [
      { leaves: 'nothing refused' },
      { keeps: ['command-not-for-this-order', 'command-body', 'unknown-path', 'event-filter', 'limit'] },
      { polls: 'apart' },
    ]),
  ],
  notTestable: [
    notTestable(
      '0',
      'What the screen says before the application is allowed',
      'O que a tela diz antes de o aplicativo ser liberado',
      'it is on the screen only; `opendelivery mock --host-profile 99food` answers 404 until POST /_mock/allow, as the host does',
      'está somente na tela; `opendelivery mock --host-profile 99food` responde 404 até POST /_mock/allow, como o host',
    ),
    notTestable(
      '5',
      'All eleven codes',
      'Os onze códigos',
      'two of them are rehearsed; the mock hub refuses any code that is not one of the eleven',
      'dois deles são ensaiados; o hub simulado recusa qualquer código fora dos onze',
    ),
  ],
};
