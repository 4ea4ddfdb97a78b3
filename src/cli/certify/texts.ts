import type { Violation } from '../../testing/rules.js';
import type { Text } from './script.js';

export type Language = keyof Text;
export type Result = 'passed' | 'failed' | 'not seen';

const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

const en = {
  results: { passed: 'passed', failed: 'failed', 'not seen': 'not seen' } as Readonly<Record<Result, string>>,
  emitted: (type: string, times: number) => `the hub emitted ${type}${times > 1 ? ` ${times} times` : ''}`,
  redelivered: (type: string) => `the hub sent ${type} again`,
  faulty: (endpoint: string, fault: string) => `the next request to ${endpoint} fails: ${fault}`,
  revoked: 'the hub forgot every token',
  waited: (what: string) => `${what} passed`,
  asked: (action: string, number: string) => `asked for ${action} of order ${number}`,
  driven: (action: string, status: string) => `POST to the application: ${action} → ${status}`,
  notSent: (command: string) => `the application did not send ${command}`,
  onlyRefused: (command: string, statuses: string) =>
    `the application sent ${command}, and the hub refused it: ${statuses}`,
  otherBody: (key: string) => `the body of the command does not have the ${key} that was asked for`,
  shown: (details: string) => `shown: ${details}`,
  hidden: (details: string) => `not shown, as it should be: ${details}`,
  notShown: (details: string) => `not shown: ${details}`,
  shownWrongly: (details: string) => `shown, and wrong here: ${details}`,
  lookedFor: (what: string, strings: string) => `${what} (looked for: ${strings})`,
  noOrderShown: (status: string) => `the application does not show the order: ${status}`,
  acknowledged: (count: number) => `${many(count, 'event')} of the order acknowledged, none pending`,
  notAcknowledged: (types: string) => `not acknowledged: ${types}`,
  notRequested: (endpoint: string) => `no successful request to ${endpoint} followed`,
  tooMany: (count: number, command: string, allowed: number) =>
    `${command} was sent ${many(count, 'time')}; allowed: ${allowed}`,
  notTooMany: (count: number, command: string) => `${command} was sent ${many(count, 'time')}`,
  noPushUrl: 'where the application receives pushes is not known; give it with --push',
  pushed: (kind: string, status: string) => `push (${kind}) → ${status}`,
  wrongAnswer: (status: string, allowed: string) =>
    `the answer to the push was ${status}; expected: ${allowed}`,
  broken: ({ rule, message }: Violation) => `${rule}: ${message}`,
  rulesKept: (count: number) => `no such rule was broken in ${many(count, 'request')}`,
  pollsTooClose: (seconds: string) => `three polls within ${seconds} s; allowed: two a minute`,
  polls: (count: number, seconds: string) => `${count} polls, the closest ${seconds} s after the one before`,
  pollsTooFast: (gap: string, expected: string) =>
    `${gap} s from one poll to the next; expected: ${expected}`,
  pollsTooSlow: (gap: string, expected: string) => `no poll for ${gap} s; expected: one each ${expected} s`,
  noPoll: 'the application did not poll',
  strikes: (count: number, types: string) =>
    `${many(count, 'event')} not acknowledged before the next poll: ${types}`,
  noStrikes: 'every event was acknowledged before the next poll',
  tokens: (count: number) => many(count, 'token request'),
  tooManyTokens: (count: number, allowed: number) => `${many(count, 'token request')}; allowed: ${allowed}`,
  noToken: 'no token was accepted',
  tokenFirst: 'a token was accepted before the first other request',
  tokenNotFirst: (path: string) => `${path} was requested before a token was accepted`,
  nothingPending: 'no event is pending',
  nothingRefused: 'the hub refused no command, except repeated ones',
  refused: (what: string) => `refused: ${what}`,
  noResponse: 'no response',
  notAnswered: 'nobody has answered the question',
  answeredNo: 'a person has seen that it is not so',
  answeredYes: 'a person has seen it',
  overTime: 'the time of the rehearsal was over',
  interrupted: 'the rehearsal was interrupted',
  noApplication: 'no application has sent a request',
  questionShows: (number: string, details: string) =>
    `Does the application show for order ${number}: ${details}?`,
  questionHides: (number: string, details: string) =>
    `Is it right that the application does not show for order ${number}: ${details}?`,
  /** What a person types for yes and no. */
  keys: 'y/n',
  task: (action: string, number: string, data: string) =>
    `In the application, now, order ${number}: ${action}${data}`,
  actions: {
    confirm: 'confirm',
    preparing: '"in preparation"',
    readyForPickup: '"ready for pickup"',
    dispatch: '"dispatched"',
    pickedUp: '"picked up by the customer"',
    delivered: '"delivered"',
    requestCancellation: 'cancel it',
    acceptCancellation: "accept the customer's cancellation",
    denyCancellation: "deny the customer's cancellation",
  } as Readonly<Record<string, string>>,
  waitingForApplication:
    'start your application with these values; the rehearsal begins with its first request',
  begins: (title: string, count: number) => `${title}: ${count} items`,
  kept: (count: number) => `${many(count, 'item')} passed before, not played again`,
  allAgain: 'a rule for all requests was not passed before; all items are played again',
  /** The word of a result beside a count. */
  counted: (_count: number, result: Result): string => result,
  report: {
    title: 'Rehearsal of the homologation',
    intro:
      'A mock hub played the host. Nothing was sent to the host itself, and nothing here replaces its homologation.',
    source: 'Source of the list',
    item: 'Item',
    result: 'Result',
    evidence: 'Evidence',
    notTestable: 'Not testable here',
    reason: 'Reason',
    made: 'Made by',
    at: 'Date',
    application: 'Application',
    signature: 'Name and signature',
  },
};

export type Texts = typeof en;

const times = (count: number) => many(count, 'vez', 'vezes');

/** What breaks each rule. */
const RULES_IN_PORTUGUESE: Readonly<Record<Violation['rule'], string>> = {
  limit: 'mais requisições do que o limite permite',
  'retry-after': 'requisição antes do fim do Retry-After de um 429',
  'acknowledgment-size': 'mais de 100 eventos em um ack',
  'acknowledgment-body':
    'o corpo de um ack não é um array de { id, orderId, eventType } com os valores do evento',
  'content-type': 'media type errado no corpo da requisição',
  'unknown-path': 'caminho ou método que a especificação não tem',
  'event-filter': 'a consulta tem parâmetros, que a especificação não tem',
  'command-body': 'o corpo de um comando não é como o padrão exige',
  'command-not-for-this-order': 'comando que não é para este tipo de pedido',
  'host-header': 'falta um header que o host exige, ou está errado',
  signature: 'falta a assinatura que o host exige, ou está errada',
  'polling-merchants': 'mais de 100 lojas em uma consulta',
  'unanswered-order': 'um pedido não foi respondido a tempo',
  'unanswered-cancellation': 'uma solicitação de cancelamento não foi respondida a tempo',
};

const pt: Texts = {
  results: { passed: 'aprovado', failed: 'reprovado', 'not seen': 'não observado' },
  emitted: (type, count) => `o hub emitiu ${type}${count > 1 ? ` ${times(count)}` : ''}`,
  redelivered: (type) => `o hub enviou ${type} de novo`,
  faulty: (endpoint, fault) => `a próxima requisição a ${endpoint} falha: ${fault}`,
  revoked: 'o hub esqueceu todos os tokens',
  waited: (what) => `passaram ${what}`,
  asked: (action, number) => `foi solicitado: ${action} do pedido ${number}`,
  driven: (action, status) => `POST ao aplicativo: ${action} → ${status}`,
  notSent: (command) => `o aplicativo não enviou ${command}`,
  onlyRefused: (command, statuses) => `o aplicativo enviou ${command}, e o hub recusou: ${statuses}`,
  otherBody: (key) => `o corpo do comando não tem o ${key} que foi solicitado`,
  shown: (details) => `mostrado: ${details}`,
  hidden: (details) => `não mostrado, como deve ser: ${details}`,
  notShown: (details) => `não mostrado: ${details}`,
  shownWrongly: (details) => `mostrado, e errado aqui: ${details}`,
  lookedFor: (what, strings) => `${what} (procurado: ${strings})`,
  noOrderShown: (status) => `o aplicativo não mostra o pedido: ${status}`,
  acknowledged: (count) => `${many(count, 'evento', 'eventos')} do pedido com ack, nenhum pendente`,
  notAcknowledged: (types) => `sem ack: ${types}`,
  notRequested: (endpoint) => `depois disso, não houve requisição bem-sucedida a ${endpoint}`,
  tooMany: (count, command, allowed) => `${command} foi enviado ${times(count)}; permitido: ${allowed}`,
  notTooMany: (count, command) => `${command} foi enviado ${times(count)}`,
  noPushUrl: 'não se sabe onde o aplicativo recebe pushes; informe com --push',
  pushed: (kind, status) => `push (${kind}) → ${status}`,
  wrongAnswer: (status, allowed) => `a resposta ao push foi ${status}; esperado: ${allowed}`,
  broken: ({ rule, endpoint }) => `${rule}: ${RULES_IN_PORTUGUESE[rule]}${endpoint ? ` (${endpoint})` : ''}`,
  rulesKept: (count) => `nenhuma destas regras foi violada em ${many(count, 'requisição', 'requisições')}`,
  pollsTooClose: (seconds) => `três consultas em ${seconds} s; permitido: duas por minuto`,
  polls: (count, seconds) => `${many(count, 'consulta', 'consultas')}, o menor intervalo: ${seconds} s`,
  pollsTooFast: (gap, expected) => `${gap} s entre uma consulta e a seguinte; esperado: ${expected}`,
  pollsTooSlow: (gap, expected) => `nenhuma consulta por ${gap} s; esperado: uma a cada ${expected} s`,
  noPoll: 'o aplicativo não consultou eventos (polling)',
  strikes: (count, types) =>
    `${many(count, 'evento', 'eventos')} sem ack antes da consulta seguinte: ${types}`,
  noStrikes: 'todo evento recebeu ack antes da consulta seguinte',
  tokens: (count) => `${many(count, 'requisição', 'requisições')} de token`,
  tooManyTokens: (count, allowed) =>
    `${many(count, 'requisição', 'requisições')} de token; permitido: ${allowed}`,
  noToken: 'nenhum token foi aceito',
  tokenFirst: 'um token foi aceito antes de qualquer outra requisição',
  tokenNotFirst: (path) => `${path} foi requisitado antes de um token ser aceito`,
  nothingPending: 'nenhum evento está pendente',
  nothingRefused: 'o hub não recusou nenhum comando, exceto repetidos',
  refused: (what) => `recusado: ${what}`,
  noResponse: 'sem resposta',
  notAnswered: 'ninguém respondeu à pergunta',
  answeredNo: 'uma pessoa viu que não é assim',
  answeredYes: 'uma pessoa viu',
  overTime: 'o tempo do ensaio terminou',
  interrupted: 'o ensaio foi interrompido',
  noApplication: 'nenhum aplicativo enviou uma requisição',
  questionShows: (number, details) => `O aplicativo mostra, no pedido ${number}: ${details}?`,
  questionHides: (number, details) =>
    `É verdade que o aplicativo não mostra, no pedido ${number}: ${details}?`,
  keys: 's/n',
  task: (action, number, data) => `No aplicativo, agora, pedido ${number}: ${action}${data}`,
  actions: {
    confirm: 'confirmar',
    preparing: 'marcar como “em preparo”',
    readyForPickup: 'marcar como “pronto”',
    dispatch: 'marcar como “saiu para entrega”',
    pickedUp: 'marcar como “retirado pelo cliente”',
    delivered: 'marcar como “entregue”',
    requestCancellation: 'cancelar',
    acceptCancellation: 'aceitar o cancelamento solicitado pelo cliente',
    denyCancellation: 'recusar o cancelamento solicitado pelo cliente',
  },
  waitingForApplication:
    'inicie o seu aplicativo com estes valores; o ensaio começa com a primeira requisição dele',
  begins: (title, count) => `${title}: ${many(count, 'item', 'itens')}`,
  kept: (count) =>
    many(
      count,
      'item já foi aprovado antes; não é repetido',
      'itens já foram aprovados antes; não são repetidos',
    ),
  allAgain: 'uma regra para todas as requisições não foi aprovada antes; todos os itens são repetidos',
  counted: (count, result) => {
    const plural = { passed: 'aprovados', failed: 'reprovados', 'not seen': 'não observados' };
    return (count === 1 ? pt.results : plural)[result];
  },
  report: {
    title: 'Ensaio da homologação',
    intro:
      'Um hub simulado fez o papel do host. Nada foi enviado ao próprio host, e este relatório não substitui a homologação dele.',
    source: 'Fonte da lista',
    item: 'Item',
    result: 'Resultado',
    evidence: 'Evidência',
    notTestable: 'Não testável aqui',
    reason: 'Motivo',
    made: 'Feito por',
    at: 'Data',
    application: 'Aplicativo',
    signature: 'Nome e assinatura',
  },
};

export const TEXTS: Readonly<Record<Language, Texts>> = { en, pt };
