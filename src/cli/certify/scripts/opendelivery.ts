import type { Script } from '../script.js';
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
    cancelledByStore: PLAIN,
    cancelDenied: PLAIN,
    askedEarly: PLAIN,
    askedLate: PLAIN,
    cancelledByHost: PLAIN,
    elsewhere: PLAIN,
    twice: PLAIN,
    late: PLAIN,
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
    afterToken: PLAIN,
    afterLimit: PLAIN,
    afterFailure: PLAIN,
    afterNonsense: PLAIN,
    afterLostAck: PLAIN,
    afterLostOrder: PLAIN,
  },
  items: [
    {
      id: '4.1',
      title: {
        en: 'A token is requested with a form of client_id, client_secret and grant_type, before anything else (Spec §4.1)',
        pt: 'Um token é solicitado com um formulário de client_id, client_secret e grant_type, antes de qualquer outra requisição (Spec §4.1)',
      },
      steps: [{ requests: 'polling' }, { authorizes: true }],
    },
    {
      id: '4.5a',
      order: 'cash',
      title: {
        en: 'A DELIVERY by the store: read, confirmed by the application itself',
        pt: 'DELIVERY pela loja: lido, confirmado pelo próprio aplicativo',
      },
      steps: [{ sends: 'confirm' }, { acknowledges: true }],
    },
    {
      id: '4.5b',
      order: 'cash',
      title: {
        en: 'It shows number, item, option, notes, fee, discount and total',
        pt: 'Mostra número, item, complemento do item, observações, taxa, desconto e total',
      },
      steps: [
        { shows: ['number', 'item', 'option', 'itemNote', 'customerNote'] },
        { shows: ['deliveryFee', 'discount', 'total'] },
      ],
    },
    {
      id: '4.5c',
      order: 'cash',
      title: {
        en: 'It shows what is still to pay, and the change',
        pt: 'Mostra o valor a cobrar e o troco',
      },
      steps: [{ shows: ['pending', 'change'] }],
    },
    {
      id: '4.5d',
      order: 'cash',
      title: {
        en: 'preparing (sendPreparing), readyForPickup, dispatch and delivered (sendDelivered); CONCLUDED is shown',
        pt: 'preparing (sendPreparing), readyForPickup, dispatch e delivered (sendDelivered); mostra CONCLUDED',
      },
      steps: [
        { do: 'preparing' },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { shows: ['stageDispatched'] },
        { do: 'delivered' },
        { emit: 'CONCLUDED' },
        { shows: ['stageConcluded'] },
      ],
    },
    {
      id: '4.5e',
      order: 'card',
      title: { en: 'A card at the door: the brand is shown', pt: 'Cartão na entrega: mostra a bandeira' },
      steps: [{ sends: 'confirm' }, { shows: ['brand'] }],
    },
    {
      id: '4.5f',
      order: 'byHost',
      title: {
        en: 'A DELIVERY by the marketplace: confirm, readyForPickup, the pickup code; no dispatch, no delivered',
        pt: 'DELIVERY pela plataforma: confirm, readyForPickup, o código de coleta; sem dispatch, sem delivered',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['pickupCode'] },
        { do: 'readyForPickup' },
        { emit: 'DISPATCHED' },
        { emit: 'CONCLUDED' },
        { shows: ['stageConcluded'] },
        { atMost: 0, of: 'dispatch' },
        { atMost: 0, of: 'delivered' },
      ],
    },
    {
      id: '4.5g',
      order: 'takeout',
      title: {
        en: 'TAKEOUT: confirm, readyForPickup, pickedUp (sendPickedUp); the hour is shown',
        pt: 'TAKEOUT: confirm, readyForPickup, pickedUp (sendPickedUp); mostra a hora',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['takeout', 'takeoutHour'] },
        { do: 'readyForPickup' },
        { do: 'pickedUp' },
        { emit: 'CONCLUDED' },
        { acknowledges: true },
        { atMost: 0, of: 'dispatch' },
      ],
    },
    {
      id: '4.5h',
      order: 'indoor',
      title: {
        en: 'INDOOR: confirm, readyForPickup; the table is shown',
        pt: 'INDOOR: confirm, readyForPickup; mostra a mesa',
      },
      steps: [{ sends: 'confirm' }, { shows: ['table'] }, { do: 'readyForPickup' }, { acknowledges: true }],
    },
    {
      id: '4.5i',
      order: 'scheduled',
      title: { en: 'SCHEDULED: confirm; the day is shown', pt: 'SCHEDULED: confirm; mostra a data' },
      steps: [{ sends: 'confirm' }, { shows: ['scheduledDay'] }],
    },
    {
      id: '6.1a',
      order: 'cancelledByStore',
      title: {
        en: 'The store cancels: requestCancellation with reason, code and mode; CANCELLED is followed',
        pt: 'A loja cancela: requestCancellation com reason, code e mode; acompanha CANCELLED',
      },
      steps: CANCELLED_BY_STORE,
    },
    {
      id: '6.1b',
      order: 'cancelDenied',
      title: {
        en: 'The hub denies a cancellation: the order is where it was, and goes on',
        pt: 'O hub recusa um cancelamento: o pedido fica onde estava, e continua',
      },
      steps: [
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
    },
    {
      id: '6.1c',
      order: 'askedEarly',
      title: {
        en: 'The customer asks to cancel before the order is ready: acceptCancellation; CANCELLED is followed',
        pt: 'O cliente solicita o cancelamento antes de o pedido ficar pronto: acceptCancellation; acompanha CANCELLED',
      },
      steps: CANCELLATION_ACCEPTED,
    },
    {
      id: '6.1d',
      order: 'askedLate',
      title: {
        en: 'The customer asks to cancel when the order is ready: denyCancellation with reason and code; the order goes on',
        pt: 'O cliente solicita o cancelamento com o pedido pronto: denyCancellation com reason e code; o pedido continua',
      },
      steps: [...CANCELLATION_DENIED, { do: 'dispatch' }, { acknowledges: true }],
    },
    {
      id: '6.1e',
      order: 'cancelledByHost',
      title: {
        en: 'CANCELLED without a request before: the status follows',
        pt: 'CANCELLED sem solicitação anterior: o status acompanha',
      },
      steps: [
        { sends: 'confirm' },
        { acknowledges: true },
        { emit: 'CANCELLED', metadata: { reason: 'Fraude', code: 'OTHER_CANCELLATION_REASON' } },
        { shows: ['stageCancelled'] },
      ],
    },
    {
      id: '6.1f',
      order: 'elsewhere',
      title: {
        en: 'Another application moves the order: the status follows',
        pt: 'Outro aplicativo avança o pedido: o status acompanha',
      },
      steps: [
        { emit: 'CONFIRMED' },
        { shows: ['stageConfirmed'] },
        { emit: 'READY_FOR_PICKUP' },
        { shows: ['stageReady'] },
      ],
    },
    {
      id: '6.2a',
      order: 'twice',
      title: {
        en: 'The same event twice: acknowledged again, and handled once',
        pt: 'O mesmo evento duas vezes: ack de novo, tratado uma só vez',
      },
      steps: [...RECEIVED_TWICE, { shows: ['stageConfirmed'] }],
    },
    {
      id: '6.2b',
      order: 'late',
      title: {
        en: 'An event of an earlier stage comes late: the order does not move back',
        pt: 'Um evento de uma etapa anterior chega atrasado: o pedido não volta',
      },
      steps: [
        { sends: 'confirm' },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { acknowledges: true },
        { redeliver: 'CONFIRMED' },
        { emit: 'READY_FOR_PICKUP' },
        { shows: ['stageDispatched'] },
      ],
    },
    {
      id: '6.2c',
      order: 'unknown',
      title: {
        en: 'Unknown values, unknown fields and null in an order: it is confirmed all the same',
        pt: 'Valores desconhecidos, campos desconhecidos e null num pedido: é confirmado mesmo assim',
      },
      steps: [{ sends: 'confirm' }, { acknowledges: true }, { shows: ['number', 'total'] }],
    },
    {
      id: '6.2d',
      order: 'unknown',
      title: {
        en: 'An unknown type of event: acknowledged, and the next event is handled',
        pt: 'Um tipo de evento desconhecido: recebe ack, e o evento seguinte é tratado',
      },
      steps: [
        { emit: 'COURIER_WAVED' },
        { acknowledges: true },
        { emit: 'READY_FOR_PICKUP' },
        { shows: ['stageReady'] },
      ],
    },
    {
      id: '5a',
      alone: true,
      title: {
        en: 'The token is kept and used again: not one for each request (Spec §5)',
        pt: 'O token é guardado e reutilizado: não um por requisição (Spec §5)',
      },
      steps: [{ tokens: 2 }],
    },
    {
      id: '7a',
      alone: true,
      order: 'afterLimit',
      title: {
        en: '429: the next poll waits for Retry-After (Spec §7)',
        pt: '429: a próxima consulta espera o Retry-After (Spec §7)',
      },
      steps: [
        { fault: { status: 429, headers: { 'retry-after': '50' } }, at: 'polling' },
        { sends: 'confirm' },
        { keeps: ['retry-after'] },
      ],
    },
    {
      id: '7b',
      alone: true,
      order: 'afterFailure',
      title: { en: '500 for a poll: polling goes on', pt: '500 numa consulta: as consultas continuam' },
      steps: [{ fault: 500, at: 'polling' }, { sends: 'confirm' }],
    },
    {
      id: '7c',
      alone: true,
      order: 'afterNonsense',
      title: {
        en: 'A poll whose body is cut off: polling goes on, no event is lost',
        pt: 'Uma consulta com corpo cortado: as consultas continuam, nenhum evento se perde',
      },
      steps: [{ fault: 'malformed', at: 'polling' }, { sends: 'confirm' }],
    },
    {
      id: '7d',
      alone: true,
      order: 'afterLostAck',
      title: {
        en: 'The connection breaks at an acknowledgment: it is sent again, and nothing is handled twice',
        pt: 'A conexão cai durante um ack: ele é enviado de novo, e nada é tratado duas vezes',
      },
      steps: [
        { fault: 'reset', at: 'acknowledgment' },
        { sends: 'confirm' },
        { acknowledges: true },
        { atMost: 1, of: 'confirm' },
      ],
    },
    {
      id: '7e',
      alone: true,
      order: 'afterLostOrder',
      title: {
        en: 'The order cannot be read at first (500): it is not lost',
        pt: 'O pedido não pode ser lido na primeira vez (500): ele não se perde',
      },
      steps: [
        { fault: 500, at: 'order' },
        { sends: 'confirm' },
        { acknowledges: true },
        { shows: ['number'] },
      ],
    },
    {
      id: '5b',
      alone: true,
      order: 'afterToken',
      title: {
        en: '401 for the token: a new one is requested, and the work goes on',
        pt: '401 para o token: um novo é solicitado, e o trabalho continua',
      },
      steps: [{ revokeTokens: true }, { sends: 'confirm' }, { acknowledges: true }, { tokens: 4 }],
    },
    {
      id: '4.4a',
      alone: true,
      order: 'elsewhere',
      title: {
        en: 'More than a hundred events: at most 100 in one acknowledgment (Spec §4.4)',
        pt: 'Mais de cem eventos: no máximo 100 por ack (Spec §4.4)',
      },
      steps: [
        { emit: 'READY_FOR_PICKUP', times: 105 },
        { acknowledges: true },
        { keeps: ['acknowledgment-size'] },
      ],
    },
    {
      id: '4.4b',
      alone: true,
      title: {
        en: 'Acknowledgments have id, orderId and eventType as the hub sent them (Spec §4.4)',
        pt: 'Os acks (acknowledgment) têm id, orderId e eventType como o hub os enviou (Spec §4.4)',
      },
      steps: [{ keeps: ['acknowledgment-body', 'acknowledgment-size'] }],
    },
    {
      id: '4.x',
      alone: true,
      title: {
        en: 'Only paths and parameters of the specification; media types as it says',
        pt: 'Somente caminhos e parâmetros da especificação; media types como ela diz',
      },
      steps: [{ keeps: ['unknown-path', 'event-filter', 'content-type', 'polling-merchants'] }],
    },
    {
      id: '4.5j',
      alone: true,
      title: {
        en: 'The bodies of commands are as in the standard',
        pt: 'Os corpos dos comandos são como o padrão exige',
      },
      steps: [{ keeps: ['command-body'] }],
    },
    {
      id: '4.5k',
      alone: true,
      title: { en: 'No command was refused', pt: 'Nenhum comando foi recusado' },
      steps: [{ leaves: 'nothing refused' }],
    },
    {
      id: '8a',
      alone: true,
      title: {
        en: 'At most two polls in a minute (Spec §8)',
        pt: 'No máximo duas consultas por minuto (Spec §8)',
      },
      steps: [{ polls: 'apart' }],
    },
    {
      id: '8b',
      alone: true,
      title: {
        en: 'The other limits are kept, and every Retry-After (Spec §8)',
        pt: 'Os outros limites são respeitados, e todo Retry-After (Spec §8)',
      },
      steps: [{ keeps: ['limit', 'retry-after'] }],
    },
    {
      id: '6.2e',
      alone: true,
      title: {
        en: 'At the end no event is pending, and every order was answered',
        pt: 'No fim, nenhum evento está pendente, e todo pedido foi respondido',
      },
      steps: [{ leaves: 'nothing pending' }, { keeps: ['unanswered-order', 'unanswered-cancellation'] }],
    },
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
