import { item, notTestable, type Script } from '../script.js';
import { RULES } from './opendelivery-rules.js';
import { BY_HOST, CARD, CASH, INDOOR, PLAIN, SCHEDULED, TAKEOUT } from './orders.js';
import {
  CANCELLATION_ACCEPTED,
  CANCELLATION_DENIED,
  CANCELLED_BY_STORE,
  CANCELLED_FOR_FRAUD,
  NOT_DELIVERED_BY_STORE,
} from './scenes.js';

/** The rules of the standard, and of the spec of the Order Integration Service, that a mock hub can see. */
export const opendelivery: Script = {
  name: 'opendelivery',
  title: { en: 'OpenDelivery: the rules of the standard', pt: 'OpenDelivery: as regras do padrão' },
  source: {
    en: 'OpenDelivery v1.7 and the specification of the Order Integration Service, sections 4 to 8. The standard has no acceptance list in version 1; this one is ours.',
    pt: 'OpenDelivery v1.7 e a especificação do Order Integration Service, seções 4 a 8. O padrão não tem lista de aceite na versão 1; esta é nossa.',
  },
  orders: {
    cash: CASH,
    card: CARD,
    byHost: BY_HOST,
    takeout: TAKEOUT,
    indoor: INDOOR,
    scheduled: SCHEDULED,
    unknown: {
      ...PLAIN,
      document: {
        sendDelivered: true,
        category: 'SPACE_FOOD',
        loyaltyPoints: 12,
        taxInvoice: null,
        payments: {
          prepaid: 62.8,
          pending: 0,
          methods: [{ value: 62.8, currency: 'BRL', type: 'PREPAID', method: 'SEASHELLS', methodInfo: null }],
        },
      },
    },
  },
  items: [
    item(
      { id: '4.1' },
      'A token is requested with a form of client_id, client_secret and grant_type, before anything else (Spec §4.1)',
      'Um token é solicitado com um formulário de client_id, client_secret e grant_type, antes de qualquer outra requisição (Spec §4.1)',
      [{ requests: 'polling' }, { authorizes: true }],
    ),
    item(
      { id: '4.5a', order: 'cash' },
      'A DELIVERY by the store: read, confirmed by the application itself',
      'DELIVERY pela loja: lido, confirmado pelo próprio aplicativo',
      [{ sends: 'confirm' }, { acknowledges: true }],
    ),
    item(
      { id: '4.5b', order: 'cash' },
      'It shows number, item, option, notes, fee, discount and total',
      'Mostra número, item, complemento do item, observações, taxa, desconto e total',
      [
        { shows: ['number', 'item', 'option', 'itemNote', 'customerNote'] },
        { shows: ['deliveryFee', 'discount', 'total'] },
      ],
    ),
    item(
      { id: '4.5c', order: 'cash' },
      'It shows what is still to pay, and the change',
      'Mostra o valor a cobrar e o troco',
      [{ shows: ['pending', 'change'] }],
    ),
    item(
      { id: '4.5d', order: 'cash' },
      'preparing (sendPreparing), readyForPickup, dispatch and delivered (sendDelivered); CONCLUDED is shown',
      'preparing (sendPreparing), readyForPickup, dispatch e delivered (sendDelivered); mostra CONCLUDED',
      [
        { do: 'preparing' },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { shows: ['stageDispatched'] },
        { do: 'delivered' },
        { emit: 'CONCLUDED' },
        { shows: ['stageConcluded'] },
      ],
    ),
    item(
      { id: '4.5e', order: 'card' },
      'A card at the door: the brand is shown',
      'Cartão na entrega: mostra a bandeira',
      [{ sends: 'confirm' }, { shows: ['brand'] }],
    ),
    item(
      { id: '4.5f', order: 'byHost' },
      'A DELIVERY by the marketplace: confirm, readyForPickup, the pickup code; no dispatch, no delivered',
      'DELIVERY pela plataforma: confirm, readyForPickup, o código de coleta; sem dispatch, sem delivered',
      [
        { sends: 'confirm' },
        { shows: ['pickupCode'] },
        { do: 'readyForPickup' },
        { emit: 'DISPATCHED' },
        { emit: 'CONCLUDED' },
        { shows: ['stageConcluded'] },
        ...NOT_DELIVERED_BY_STORE,
      ],
    ),
    item(
      { id: '4.5g', order: 'takeout' },
      'TAKEOUT: confirm, readyForPickup, pickedUp (sendPickedUp); the hour is shown',
      'TAKEOUT: confirm, readyForPickup, pickedUp (sendPickedUp); mostra a hora',
      [
        { sends: 'confirm' },
        { shows: ['takeout', 'takeoutHour'] },
        { do: 'readyForPickup' },
        { do: 'pickedUp' },
        { emit: 'CONCLUDED' },
        { acknowledges: true },
        { atMost: 0, of: 'dispatch' },
      ],
    ),
    item(
      { id: '4.5h', order: 'indoor' },
      'INDOOR: confirm, readyForPickup; the table is shown',
      'INDOOR: confirm, readyForPickup; mostra a mesa',
      [{ sends: 'confirm' }, { shows: ['table'] }, { do: 'readyForPickup' }, { acknowledges: true }],
    ),
    item(
      { id: '4.5i', order: 'scheduled' },
      'SCHEDULED: confirm; the day is shown',
      'SCHEDULED: confirm; mostra a data',
      [{ sends: 'confirm' }, { shows: ['scheduledDay'] }],
    ),
    item(
      { id: '6.1a', order: 'cancelledByStore' },
      'The store cancels: requestCancellation with reason, code and mode; CANCELLED is followed',
      'A loja cancela: requestCancellation com reason, code e mode; acompanha CANCELLED',
      CANCELLED_BY_STORE,
    ),
    item(
      { id: '6.1b', order: 'cancelDenied' },
      'The hub denies a cancellation: the order is where it was, and goes on',
      'O hub recusa um cancelamento: o pedido fica onde estava, e continua',
      [
        { sends: 'confirm' },
        {
          do: 'requestCancellation',
          data: {
            reason: 'Problema na cozinha',
            code: 'INTERNAL_DIFFICULTIES_OF_THE_RESTAURANT',
            mode: 'MANUAL',
          },
        },
        { emit: 'CANCELLATION_REQUEST_DENIED' },
        { hides: ['stageCancelled'] },
        { do: 'readyForPickup' },
        { acknowledges: true },
      ],
    ),
    item(
      { id: '6.1c', order: 'askedEarly' },
      'The customer asks to cancel before the order is ready: acceptCancellation; CANCELLED is followed',
      'O cliente solicita o cancelamento antes de o pedido ficar pronto: acceptCancellation; acompanha CANCELLED',
      CANCELLATION_ACCEPTED,
    ),
    item(
      { id: '6.1d', order: 'askedLate' },
      'The customer asks to cancel when the order is ready: denyCancellation with reason and code; the order goes on',
      'O cliente solicita o cancelamento com o pedido pronto: denyCancellation com reason e code; o pedido continua',
      [...CANCELLATION_DENIED, { do: 'dispatch' }, { acknowledges: true }],
    ),
    item(
      { id: '6.1e', order: 'cancelledByHost' },
      'CANCELLED without a request before: the status follows',
      'CANCELLED sem solicitação anterior: o status acompanha',
      [{ sends: 'confirm' }, { acknowledges: true }, ...CANCELLED_FOR_FRAUD],
    ),
    item(
      { id: '6.1f', order: 'elsewhere' },
      'Another application moves the order: the status follows',
      'Outro aplicativo avança o pedido: o status acompanha',
      [
        { emit: 'CONFIRMED' },
        { shows: ['stageConfirmed'] },
        { emit: 'READY_FOR_PICKUP' },
        { shows: ['stageReady'] },
      ],
    ),
    ...RULES,
  ],
  notTestable: [
    notTestable(
      '4.2',
      'GET /merchant is cached for its TTL',
      'GET /merchant fica em cache pelo TTL',
      'an application that only takes orders need not read the menu, and the shortest TTL is longer than half a rehearsal; `mock` with a fast clock shows it',
      'um aplicativo que só recebe pedidos não precisa ler o cardápio, e o menor TTL passa da metade do ensaio; o `mock` com relógio rápido mostra isso',
    ),
    notTestable(
      '5c',
      'The token is renewed before it expires',
      'O token é renovado antes de expirar',
      'it is valid for 7 days, longer than a rehearsal; `mock --token-lifetime-ms` shows it',
      'vale por 7 dias, mais que um ensaio; o `mock --token-lifetime-ms` mostra isso',
    ),
    notTestable(
      'newEvent',
      'Push (newEvent)',
      'Push (newEvent)',
      'optional in the standard; the scripts 99food and pedidos10 rehearse it',
      'opcional no padrão; os roteiros 99food e pedidos10 o ensaiam',
    ),
    notTestable(
      'ONDEMAND',
      'PREPARATION_REQUESTED of an ONDEMAND order',
      'PREPARATION_REQUESTED de um pedido ONDEMAND',
      'optional in the standard: the customer is on the way, and the commands are those of any order',
      'opcional no padrão: o cliente está a caminho, e os comandos são os de qualquer pedido',
    ),
  ],
};
