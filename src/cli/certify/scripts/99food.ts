import type { DetailName } from '../details.js';
import type { Item, Script } from '../script.js';
import { BY_HOST, CASH, PLAIN, TAKEOUT } from './orders.js';
import {
  CANCELLATION_ACCEPTED,
  CANCELLATION_DENIED,
  CANCELLED_BY_CUSTOMER,
  CANCELLED_BY_STORE,
} from './scenes.js';

/** Item 2 of the list: what is shown of the order in cash. */
const shown = (id: string, en: string, pt: string, ...shows: DetailName[]): Item => ({
  id,
  order: 'cash',
  title: { en, pt },
  steps: [{ shows }],
});

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
    cancelledAuto: PLAIN,
    cancelledManual: PLAIN,
    byCustomer: PLAIN,
    askedEarly: PLAIN,
    askedLate: PLAIN,
    pushed: PLAIN,
    forged: PLAIN,
    otherShop: PLAIN,
  },
  items: [
    {
      id: '0',
      title: {
        en: 'Not "connected" before a token was accepted',
        pt: 'Não “conectado” antes de um token ser aceito',
      },
      steps: [{ requests: 'polling' }, { authorizes: true }],
    },
    {
      id: '1',
      title: {
        en: 'The token is requested with a form, per shop',
        pt: 'O token é solicitado com um formulário, por loja',
      },
      steps: [{ requests: 'polling' }, { authorizes: true }, { keeps: ['content-type'] }],
    },
    {
      id: '2.13',
      order: 'cash',
      title: {
        en: "An order of the store's own delivery in cash: confirmed automatically",
        pt: 'Pedido de entrega própria em dinheiro: confirmação automática',
      },
      steps: [{ sends: 'confirm' }, { acknowledges: true }],
    },
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
    {
      id: '3',
      order: 'cash',
      title: {
        en: 'confirm, preparing, readyForPickup, dispatch, delivered',
        pt: 'confirm, preparing, readyForPickup, dispatch, delivered',
      },
      steps: [
        { sends: 'confirm' },
        { do: 'preparing' },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { do: 'delivered' },
        { emit: 'CONCLUDED' },
        { shows: ['stageConcluded'] },
      ],
    },
    {
      id: '4',
      order: 'byHost',
      title: {
        en: 'Delivered by 99: counts as paid, stops at readyForPickup',
        pt: 'Entrega pela 99: conta como pago, termina em readyForPickup',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['byHost', 'paid'] },
        { do: 'readyForPickup' },
        { emit: 'DISPATCHED' },
        { emit: 'CONCLUDED' },
        { acknowledges: true },
        { atMost: 0, of: 'dispatch' },
        { atMost: 0, of: 'delivered' },
      ],
    },
    {
      id: '4b',
      order: 'takeout',
      title: {
        en: 'TAKEOUT: the hour is shown, no delivery, ends with pickedUp',
        pt: 'TAKEOUT: mostra a hora, sem entrega, termina com pickedUp',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['takeout', 'takeoutHour'] },
        { do: 'readyForPickup' },
        { do: 'pickedUp' },
        { acknowledges: true },
        { atMost: 0, of: 'dispatch' },
        { atMost: 0, of: 'delivered' },
      ],
    },
    {
      id: '5.1',
      order: 'cancelledAuto',
      title: {
        en: 'requestCancellation with reason, one of the eleven codes, mode AUTO; the CANCELLED that returns does no harm',
        pt: 'requestCancellation com reason, um dos onze códigos, mode AUTO; o CANCELLED recebido em seguida não causa problema',
      },
      steps: [...CANCELLED_BY_STORE, { atMost: 1, of: 'requestCancellation' }],
    },
    {
      id: '5.2',
      order: 'cancelledManual',
      title: { en: 'requestCancellation with mode MANUAL', pt: 'requestCancellation com mode MANUAL' },
      steps: [
        { sends: 'confirm' },
        {
          do: 'requestCancellation',
          data: { reason: 'Chuva forte', code: 'RISK_AREA', mode: 'MANUAL' },
        },
        { emit: 'CANCELLED' },
        { shows: ['stageCancelled'] },
      ],
    },
    {
      id: '6',
      order: 'byCustomer',
      title: { en: 'The customer cancelled', pt: 'O cliente cancelou' },
      steps: CANCELLED_BY_CUSTOMER,
    },
    {
      id: '7.1',
      order: 'askedEarly',
      title: {
        en: 'The customer asks to cancel before the order is ready: accept',
        pt: 'O cliente solicita o cancelamento antes de o pedido ficar pronto: aceitar',
      },
      steps: CANCELLATION_ACCEPTED,
    },
    {
      id: '7.2',
      order: 'askedLate',
      title: {
        en: 'The customer asks to cancel afterwards: deny with a reason',
        pt: 'O cliente solicita o cancelamento depois disso: recusar com um motivo',
      },
      steps: CANCELLATION_DENIED,
    },
    {
      id: '8.1',
      alone: true,
      order: 'pushed',
      title: {
        en: 'newEvent with the right signature: 204, and the order is confirmed',
        pt: 'newEvent com assinatura correta: 204, e o pedido é confirmado',
      },
      steps: [{ push: 'signed', answers: [204] }, { sends: 'confirm' }],
    },
    {
      id: '8.2',
      alone: true,
      order: 'forged',
      title: { en: 'newEvent with a wrong signature: 403', pt: 'newEvent com assinatura incorreta: 403' },
      steps: [{ push: 'forged', answers: [403] }],
    },
    {
      id: '8.3',
      alone: true,
      order: 'otherShop',
      title: { en: 'newEvent for an unknown shop: 404', pt: 'newEvent para uma loja desconhecida: 404' },
      steps: [{ push: 'other shop', answers: [404] }],
    },
    {
      id: '9.1',
      alone: true,
      title: { en: 'At the end no event is pending', pt: 'No fim, nenhum evento está pendente' },
      steps: [{ leaves: 'nothing pending' }, { keeps: ['acknowledgment-body', 'acknowledgment-size'] }],
    },
    {
      id: '9.2',
      alone: true,
      title: { en: 'The list of refusals is empty', pt: 'A lista de recusas está vazia' },
      steps: [
        { leaves: 'nothing refused' },
        { keeps: ['command-not-for-this-order', 'command-body', 'unknown-path', 'event-filter', 'limit'] },
        { polls: 'apart' },
      ],
    },
  ],
  notTestable: [
    {
      id: '0',
      title: {
        en: 'What the screen says before the application is allowed',
        pt: 'O que a tela diz antes de o aplicativo ser liberado',
      },
      reason: {
        en: 'it is on the screen only; `opendelivery mock --host-profile 99food` answers 404 until POST /_mock/allow, as the host does',
        pt: 'está somente na tela; `opendelivery mock --host-profile 99food` responde 404 até POST /_mock/allow, como o host',
      },
    },
    {
      id: '5',
      title: { en: 'All eleven codes', pt: 'Os onze códigos' },
      reason: {
        en: 'two of them are rehearsed; the mock hub refuses any code that is not one of the eleven',
        pt: 'dois deles são ensaiados; o hub simulado recusa qualquer código fora dos onze',
      },
    },
  ],
};
