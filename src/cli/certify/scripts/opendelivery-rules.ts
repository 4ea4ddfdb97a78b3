import { type Item, item } from '../script.js';
import { RECEIVED_TWICE } from './scenes.js';

/** What goes wrong on the way of an event, and the rules that hold for all requests. */
export const RULES: readonly Item[] = [
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
];
