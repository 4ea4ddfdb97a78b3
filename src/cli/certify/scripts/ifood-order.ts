import { item, notTestable, type Script } from '../script.js';
import { BY_HOST, CARD, CASH, SCHEDULED, TAKEOUT } from './orders.js';
import {
  CANCELLATION_ACCEPTED,
  CANCELLATION_DENIED,
  CANCELLED_BY_CUSTOMER,
  CANCELLED_BY_STORE,
  CANCELLED_FOR_FRAUD,
  RECEIVED_TWICE,
} from './scenes.js';

/** iFood's list for its module Order, with the events and commands of OpenDelivery. */
export const ifoodOrder: Script = {
  name: 'ifood-order',
  host: 'ifood',
  title: { en: 'iFood: the module Order', pt: 'iFood: módulo Order' },
  source: {
    en: 'developer.ifood.com.br, homologation of the module Order, November 2026; from public documents, not tested at the host. iFood itself has other paths and documents: what is rehearsed is the behaviour, on the wire of OpenDelivery.',
    pt: 'developer.ifood.com.br, homologação do módulo Order, novembro de 2026; de documentos públicos, não testado no host. O iFood tem outros caminhos e documentos: o que se ensaia é o comportamento, com as requisições do OpenDelivery.',
  },
  orders: {
    cash: CASH,
    card: CARD,
    scheduled: SCHEDULED,
    takeout: TAKEOUT,
    byHost: BY_HOST,
  },
  items: [
    item(
      { id: '3', order: 'card' },
      'Receive, confirm and dispatch an immediate DELIVERY',
      'Receber, confirmar e despachar um DELIVERY imediato',
      [
        { sends: 'confirm' },
        { shows: ['number', 'item', 'total'] },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { shows: ['stageDispatched'] },
      ],
    ),
    item(
      { id: '4', order: 'scheduled' },
      'Receive, confirm and dispatch a scheduled DELIVERY, showing the date',
      'Receber, confirmar e despachar um DELIVERY agendado, mostrando a data',
      [
        { sends: 'confirm' },
        { shows: ['scheduledDay'] },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { acknowledges: true },
      ],
    ),
    item(
      { id: '5', order: 'cancelled' },
      'Cancel an order: the user chooses the reason, and the order follows',
      'Cancelar um pedido: o usuário escolhe o motivo, e o status acompanha',
      CANCELLED_BY_STORE,
    ),
    item(
      { id: '6', order: 'takeout' },
      'TAKEOUT: confirm, and say that it is ready',
      'TAKEOUT: confirmar e avisar que está pronto',
      [
        { sends: 'confirm' },
        { shows: ['takeout'] },
        { do: 'readyForPickup' },
        { acknowledges: true },
        { atMost: 0, of: 'dispatch' },
      ],
    ),
    item({ id: '7', order: 'card' }, 'Card: the brand is shown', 'Cartão: mostrar a bandeira', [
      { shows: ['brand'] },
    ]),
    item({ id: '8', order: 'cash' }, 'Cash: the change is shown', 'Dinheiro: mostrar o troco', [
      { sends: 'confirm' },
      { shows: ['change'] },
    ]),
    item(
      { id: '9', order: 'cash' },
      'Coupons: the amount, and who pays it, are shown',
      'Cupons: mostrar o valor e quem paga',
      [{ shows: ['discount', 'discountByHost'] }],
    ),
    item(
      { id: '10', order: 'cash' },
      'The notes of the items are on screen and ticket',
      'As observações dos itens na tela e na comanda',
      [{ shows: ['itemNote'] }],
    ),
    item(
      { id: '11a', order: 'byCustomer' },
      'Cancelled by the customer: the status follows',
      'Cancelado pelo cliente: o status acompanha',
      CANCELLED_BY_CUSTOMER,
    ),
    item(
      { id: '11b', order: 'bySystem' },
      'Cancelled by the host: the status follows',
      'Cancelado pelo iFood: o status acompanha',
      [{ sends: 'confirm' }, { do: 'readyForPickup' }, ...CANCELLED_FOR_FRAUD],
    ),
    item(
      { id: '12a', order: 'confirmedElsewhere' },
      'Confirmed by another application: the status follows',
      'Confirmado por outro aplicativo: o status acompanha',
      [{ emit: 'CONFIRMED' }, { shows: ['stageConfirmed'] }],
    ),
    item(
      { id: '12b', order: 'cancelledElsewhere' },
      'Cancelled by another application: the status follows',
      'Cancelado por outro aplicativo: o status acompanha',
      [
        { sends: 'confirm' },
        { acknowledges: true },
        { emit: 'CANCELLATION_REQUESTED' },
        { emit: 'CANCELLED' },
        { shows: ['stageCancelled'] },
      ],
    ),
    item(
      { id: '13', order: 'twice' },
      'The same event twice: discarded',
      'O mesmo evento duas vezes: descartado',
      RECEIVED_TWICE,
    ),
    item({ id: '14', order: 'cash' }, 'CPF or CNPJ is shown', 'Mostrar o CPF ou CNPJ', [
      { shows: ['document'] },
    ]),
    item(
      { id: '15a', order: 'accepted' },
      'Negotiation: the customer asks to cancel, the store accepts',
      'Negociação: o cliente solicita o cancelamento, a loja aceita',
      CANCELLATION_ACCEPTED,
    ),
    item(
      { id: '15b', order: 'denied' },
      'Negotiation: the customer asks to cancel, the store denies, and the order goes on',
      'Negociação: o cliente solicita o cancelamento, a loja recusa, e o pedido continua',
      CANCELLATION_DENIED,
    ),
    item({ id: '16', order: 'byHost' }, 'The pickup code is shown', 'Mostrar o código de coleta', [
      { sends: 'confirm' },
      { shows: ['pickupCode'] },
    ]),
    item(
      { id: 'wish 1', order: 'cash' },
      'Wished: the notes for the delivery',
      'Desejável: as observações da entrega',
      [{ shows: ['customerNote', 'reference'] }],
    ),
    item({ id: '1', alone: true }, 'One poll each 30 s', 'Uma consulta (polling) a cada 30 s', [
      { pollsEach: '30s' },
      { polls: 'apart' },
    ]),
    item(
      { id: '2', alone: true },
      'All events received are acknowledged, at once',
      'Ack (acknowledgment) de todos os eventos recebidos, imediatamente',
      [
        { leaves: 'nothing pending' },
        { strikes: 0 },
        { keeps: ['acknowledgment-body', 'acknowledgment-size'] },
      ],
    ),
    item(
      { id: 'not functional 1', alone: true },
      'A token is requested only when the last one is about to expire',
      'Um token só é solicitado quando o anterior está para expirar',
      [{ authorizes: true }, { tokens: 2 }],
    ),
    item(
      { id: 'not functional 2', alone: true },
      'The rate limits are kept',
      'Os limites de requisições são respeitados',
      [{ keeps: ['limit', 'retry-after'] }],
    ),
  ],
  notTestable: [
    notTestable(
      '1',
      'x-polling-merchants',
      'x-polling-merchants',
      'the credentials of the rehearsal are of one shop; an application of many shops names them with the option `merchants`, and the mock hub reports more than 100',
      'as credenciais do ensaio são de uma loja; um aplicativo de muitas lojas as informa com a opção `merchants`, e o hub simulado acusa quando são mais de 100',
    ),
    notTestable(
      '5',
      'The list of reasons is read first',
      'A lista de motivos é lida antes',
      'OpenDelivery has fixed codes and no request for them; that the chosen code is sent is item 5',
      'o OpenDelivery tem códigos fixos e nenhuma requisição que os consulte; o item 5 verifica o envio do código escolhido',
    ),
    notTestable(
      'wish 2',
      'Wished: the layout of the ticket',
      'Desejável: o layout da comanda',
      'it is on paper; print a ticket and send its picture with this report',
      'está no papel; imprima uma comanda e envie a foto com este relatório',
    ),
  ],
};
