import { item, type Script } from '../script.js';
import { BY_HOST, CARD, CASH, INDOOR, PLAIN, SCHEDULED, TAKEOUT } from './orders.js';
import { CANCELLATION_ACCEPTED, CANCELLATION_DENIED, CANCELLED_BY_STORE, RECEIVED_TWICE } from './scenes.js';

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
        { atMost: 0, of: 'dispatch' },
        { atMost: 0, of: 'delivered' },
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
      [
        { sends: 'confirm' },
        { acknowledges: true },
        { emit: 'CANCELLED', metadata: { reason: 'Fraude', code: 'OTHER_CANCELLATION_REASON' } },
        { shows: ['stageCancelled'] },
      ],
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
    item(
      { id: '6.2a', order: 'twice' },
      'The same event twice: acknowledged again, and handled once',
      'O mesmo evento duas vezes: ack de novo, tratado uma só vez',
      [...RECEIVED_TWICE, { shows: ['stageConfirmed'] }],
    ),
    item(
      { id: '6.2b', order: 'late' },
      'An event of an earlier stage comes late: the order does not move back',
      'Um evento de uma etapa anterior chega atrasado: o pedido não volta',
      [
        { sends: 'confirm' },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { acknowledges: true },
        { redeliver: 'CONFIRMED' },
        { emit: 'READY_FOR_PICKUP' },
        { shows: ['stageDispatched'] },
      ],
    ),
    item(
      { id: '6.2c', order: 'unknown' },
      'Unknown values, unknown fields and null in an order: it is confirmed all the same',
      'Valores desconhecidos, campos desconhecidos e null num pedido: é confirmado mesmo assim',
      [{ sends: 'confirm' }, { acknowledges: true }, { shows: ['number', 'total'] }],
    ),
    item(
      { id: '6.2d', order: 'unknown' },
      'An unknown type of event: acknowledged, and the next event is handled',
      'Um tipo de evento desconhecido: recebe ack, e o evento seguinte é tratado',
      [
        { emit: 'COURIER_WAVED' },
        { acknowledges: true },
        { emit: 'READY_FOR_PICKUP' },
        { shows: ['stageReady'] },
      ],
    ),
    item(
      { id: '5a', alone: true },
      'The token is kept and used again: not one for each request (Spec §5)',
      'O token é guardado e reutilizado: não um por requisição (Spec §5)',
      [{ tokens: 2 }],
    ),
    item(
      { id: '7a', order: 'afterLimit', alone: true },
      '429: the next poll waits for Retry-After (Spec §7)',
      '429: a próxima consulta espera o Retry-After (Spec §7)',
      [
        { fault: { status: 429, headers: { 'retry-after': '50' } }, at: 'polling' },
        { sends: 'confirm' },
        { keeps: ['retry-after'] },
      ],
    ),
    item(
      { id: '7b', order: 'afterFailure', alone: true },
      '500 for a poll: polling goes on',
      '500 numa consulta: as consultas continuam',
      [{ fault: 500, at: 'polling' }, { sends: 'confirm' }],
    ),
    item(
      { id: '7c', order: 'afterNonsense', alone: true },
      'A poll whose body is cut off: polling goes on, no event is lost',
      'Uma consulta com corpo cortado: as consultas continuam, nenhum evento se perde',
      [{ fault: 'malformed', at: 'polling' }, { sends: 'confirm' }],
    ),
    item(
      { id: '7d', order: 'afterLostAck', alone: true },
      'The connection breaks at an acknowledgment: it is sent again, and nothing is handled twice',
      'A conexão cai durante um ack: ele é enviado de novo, e nada é tratado duas vezes',
      [
        { fault: 'reset', at: 'acknowledgment' },
        { sends: 'confirm' },
        { acknowledges: true },
        { atMost: 1, of: 'confirm' },
      ],
    ),
    item(
      { id: '7e', order: 'afterLostOrder', alone: true },
      'The order cannot be read at first (500): it is not lost',
      'O pedido não pode ser lido na primeira vez (500): ele não se perde',
      [{ fault: 500, at: 'order' }, { sends: 'confirm' }, { acknowledges: true }, { shows: ['number'] }],
    ),
    item(
      { id: '5b', order: 'afterToken', alone: true },
      '401 for the token: a new one is requested, and the work goes on',
      '401 para o token: um novo é solicitado, e o trabalho continua',
      [{ revokeTokens: true }, { sends: 'confirm' }, { acknowledges: true }, { tokens: 4 }],
    ),
    item(
      { id: '4.4a', order: 'elsewhere', alone: true },
      'More than a hundred events: at most 100 in one acknowledgment (Spec §4.4)',
      'Mais de cem eventos: no máximo 100 por ack (Spec §4.4)',
      // An application that sends too many never acknowledges them: the next poll has shown it.
      [
        { emit: 'READY_FOR_PICKUP', times: 105 },
        { wait: '40s' },
        { keeps: ['acknowledgment-size'] },
        { acknowledges: true },
      ],
    ),
    item(
      { id: '4.4b', alone: true },
      'Acknowledgments have id, orderId and eventType as the hub sent them (Spec §4.4)',
      'Os acks (acknowledgment) têm id, orderId e eventType como o hub os enviou (Spec §4.4)',
      [{ keeps: ['acknowledgment-body', 'acknowledgment-size'] }],
    ),
    item(
      { id: '4.x', alone: true },
      'Only paths and parameters of the specification; media types as it says',
      'Somente caminhos e parâmetros da especificação; media types como ela diz',
      [{ keeps: ['unknown-path', 'event-filter', 'content-type', 'polling-merchants'] }],
    ),
    item(
      { id: '4.5j', alone: true },
      'The bodies of commands are as in the standard',
      'Os corpos dos comandos são como o padrão exige',
      [{ keeps: ['command-body'] }],
    ),
    item({ id: '4.5k', alone: true }, 'No command was refused', 'Nenhum comando foi recusado', [
      { leaves: 'nothing refused' },
    ]),
    item(
      { id: '8a', alone: true },
      'At most two polls in a minute (Spec §8)',
      'No máximo duas consultas por minuto (Spec §8)',
      [{ polls: 'apart' }],
    ),
    item(
      { id: '8b', alone: true },
      'The other limits are kept, and every Retry-After (Spec §8)',
      'Os outros limites são respeitados, e todo Retry-After (Spec §8)',
      [{ keeps: ['limit', 'retry-after'] }],
    ),
    item(
      { id: '6.2e', alone: true },
      'At the end no event is pending, and every order was answered',
      'No fim, nenhum evento está pendente, e todo pedido foi respondido',
      [{ leaves: 'nothing pending' }, { keeps: ['unanswered-order', 'unanswered-cancellation'] }],
    ),
  ],
  notTestable: [
    {
      id: '4.2',
      title: { en: 'GET /merchant is cached for its TTL', pt: 'GET /merchant fica em cache pelo TTL' },
      reason: {
        en: 'an application that only takes orders need not read the menu, and the shortest TTL is longer than half a rehearsal; `mock` with a fast clock shows it',
        pt: 'um aplicativo que só recebe pedidos não precisa ler o cardápio, e o menor TTL passa da metade do ensaio; o `mock` com relógio rápido mostra isso',
      },
    },
    {
      id: '5c',
      title: {
        en: 'The token is renewed before it expires',
        pt: 'O token é renovado antes de expirar',
      },
      reason: {
        en: 'it is valid for 7 days, longer than a rehearsal; `mock --token-lifetime-ms` shows it',
        pt: 'vale por 7 dias, mais que um ensaio; o `mock --token-lifetime-ms` mostra isso',
      },
    },
    {
      id: 'newEvent',
      title: { en: 'Push (newEvent)', pt: 'Push (newEvent)' },
      reason: {
        en: 'optional in the standard; the scripts 99food and pedidos10 rehearse it',
        pt: 'opcional no padrão; os roteiros 99food e pedidos10 o ensaiam',
      },
    },
    {
      id: 'ONDEMAND',
      title: {
        en: 'PREPARATION_REQUESTED of an ONDEMAND order',
        pt: 'PREPARATION_REQUESTED de um pedido ONDEMAND',
      },
      reason: {
        en: 'only for couriers on demand, and no command answers it',
        pt: 'somente para entregadores sob demanda, e nenhum comando responde a ele',
      },
    },
  ],
};
