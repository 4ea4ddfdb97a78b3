import type { Script } from '../script.js';
import { BY_HOST, CARD, CASH, PLAIN, SCHEDULED, TAKEOUT } from './orders.js';
import {
  CANCELLATION_ACCEPTED,
  CANCELLATION_DENIED,
  CANCELLED_BY_CUSTOMER,
  CANCELLED_BY_STORE,
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
    cancelled: PLAIN,
    byCustomer: PLAIN,
    bySystem: PLAIN,
    confirmedElsewhere: PLAIN,
    cancelledElsewhere: PLAIN,
    twice: PLAIN,
    accepted: PLAIN,
    denied: PLAIN,
  },
  items: [
    {
      id: '3',
      order: 'card',
      title: {
        en: 'Receive, confirm and dispatch an immediate DELIVERY',
        pt: 'Receber, confirmar e despachar um DELIVERY imediato',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['number', 'item', 'total'] },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { shows: ['stageDispatched'] },
      ],
    },
    {
      id: '4',
      order: 'scheduled',
      title: {
        en: 'Receive, confirm and dispatch a scheduled DELIVERY, showing the date',
        pt: 'Receber, confirmar e despachar um DELIVERY agendado, mostrando a data',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['scheduledDay'] },
        { do: 'readyForPickup' },
        { do: 'dispatch' },
        { acknowledges: true },
      ],
    },
    {
      id: '5',
      order: 'cancelled',
      title: {
        en: 'Cancel an order: the user chooses the reason, and the order follows',
        pt: 'Cancelar um pedido: o usuário escolhe o motivo, e o status acompanha',
      },
      steps: CANCELLED_BY_STORE,
    },
    {
      id: '6',
      order: 'takeout',
      title: {
        en: 'TAKEOUT: confirm, and say that it is ready',
        pt: 'TAKEOUT: confirmar e avisar que está pronto',
      },
      steps: [
        { sends: 'confirm' },
        { shows: ['takeout'] },
        { do: 'readyForPickup' },
        { acknowledges: true },
        { atMost: 0, of: 'dispatch' },
      ],
    },
    {
      id: '7',
      order: 'card',
      title: { en: 'Card: the brand is shown', pt: 'Cartão: mostrar a bandeira' },
      steps: [{ shows: ['brand'] }],
    },
    {
      id: '8',
      order: 'cash',
      title: { en: 'Cash: the change is shown', pt: 'Dinheiro: mostrar o troco' },
      steps: [{ sends: 'confirm' }, { shows: ['change'] }],
    },
    {
      id: '9',
      order: 'cash',
      title: {
        en: 'Coupons: the amount, and who pays it, are shown',
        pt: 'Cupons: mostrar o valor e quem paga',
      },
      steps: [{ shows: ['discount', 'discountByHost'] }],
    },
    {
      id: '10',
      order: 'cash',
      title: {
        en: 'The notes of the items are on screen and ticket',
        pt: 'As observações dos itens na tela e na comanda',
      },
      steps: [{ shows: ['itemNote'] }],
    },
    {
      id: '11a',
      order: 'byCustomer',
      title: {
        en: 'Cancelled by the customer: the status follows',
        pt: 'Cancelado pelo cliente: o status acompanha',
      },
      steps: CANCELLED_BY_CUSTOMER,
    },
    {
      id: '11b',
      order: 'bySystem',
      title: {
        en: 'Cancelled by the host: the status follows',
        pt: 'Cancelado pelo iFood: o status acompanha',
      },
      steps: [
        { sends: 'confirm' },
        { do: 'readyForPickup' },
        { emit: 'CANCELLED', metadata: { reason: 'Fraude', code: 'OTHER_CANCELLATION_REASON' } },
        { shows: ['stageCancelled'] },
      ],
    },
    {
      id: '12a',
      order: 'confirmedElsewhere',
      title: {
        en: 'Confirmed by another application: the status follows',
        pt: 'Confirmado por outro aplicativo: o status acompanha',
      },
      steps: [{ emit: 'CONFIRMED' }, { shows: ['stageConfirmed'] }],
    },
    {
      id: '12b',
      order: 'cancelledElsewhere',
      title: {
        en: 'Cancelled by another application: the status follows',
        pt: 'Cancelado por outro aplicativo: o status acompanha',
      },
      steps: [
        { sends: 'confirm' },
        { acknowledges: true },
        { emit: 'CANCELLATION_REQUESTED' },
        { emit: 'CANCELLED' },
        { shows: ['stageCancelled'] },
      ],
    },
    {
      id: '13',
      order: 'twice',
      title: { en: 'The same event twice: discarded', pt: 'O mesmo evento duas vezes: descartado' },
      steps: RECEIVED_TWICE,
    },
    {
      id: '14',
      order: 'cash',
      title: { en: 'CPF or CNPJ is shown', pt: 'Mostrar o CPF ou CNPJ' },
      steps: [{ shows: ['document'] }],
    },
    {
      id: '15a',
      order: 'accepted',
      title: {
        en: 'Negotiation: the customer asks to cancel, the store accepts',
        pt: 'Negociação: o cliente solicita o cancelamento, a loja aceita',
      },
      steps: CANCELLATION_ACCEPTED,
    },
    {
      id: '15b',
      order: 'denied',
      title: {
        en: 'Negotiation: the customer asks to cancel, the store denies, and the order goes on',
        pt: 'Negociação: o cliente solicita o cancelamento, a loja recusa, e o pedido continua',
      },
      steps: CANCELLATION_DENIED,
    },
    {
      id: '16',
      order: 'byHost',
      title: { en: 'The pickup code is shown', pt: 'Mostrar o código de coleta' },
      steps: [{ sends: 'confirm' }, { shows: ['pickupCode'] }],
    },
    {
      id: 'wish 1',
      order: 'cash',
      title: { en: 'Wished: the notes for the delivery', pt: 'Desejável: as observações da entrega' },
      steps: [{ shows: ['customerNote', 'reference'] }],
    },
    {
      id: '1',
      alone: true,
      title: { en: 'One poll each 30 s', pt: 'Uma consulta (polling) a cada 30 s' },
      steps: [{ wait: '65s' }, { polls: 'apart' }],
    },
    {
      id: '2',
      alone: true,
      title: {
        en: 'All events received are acknowledged, at once',
        pt: 'Ack (acknowledgment) de todos os eventos recebidos, imediatamente',
      },
      steps: [
        { leaves: 'nothing pending' },
        { strikes: 0 },
        { keeps: ['acknowledgment-body', 'acknowledgment-size'] },
      ],
    },
    {
      id: 'not functional 1',
      alone: true,
      title: {
        en: 'A token is requested only when the last one is about to expire',
        pt: 'Um token só é solicitado quando o anterior está para expirar',
      },
      steps: [{ authorizes: true }, { tokens: 2 }],
    },
    {
      id: 'not functional 2',
      alone: true,
      title: { en: 'The rate limits are kept', pt: 'Os limites de requisições são respeitados' },
      steps: [{ keeps: ['limit', 'retry-after'] }],
    },
  ],
  notTestable: [
    {
      id: '1',
      title: { en: 'x-polling-merchants', pt: 'x-polling-merchants' },
      reason: {
        en: 'the credentials of the rehearsal are of one shop; an application of many shops names them with the option `merchants`, and the mock hub reports more than 100',
        pt: 'as credenciais do ensaio são de uma loja; um aplicativo de muitas lojas as informa com a opção `merchants`, e o hub simulado acusa quando são mais de 100',
      },
    },
    {
      id: '5',
      title: { en: 'The list of reasons is read first', pt: 'A lista de motivos é lida antes' },
      reason: {
        en: 'OpenDelivery has fixed codes and no request for them; that the chosen code is sent is item 5',
        pt: 'o OpenDelivery tem códigos fixos e nenhuma requisição que os consulte; o item 5 verifica o envio do código escolhido',
      },
    },
    {
      id: 'wish 2',
      title: { en: 'Wished: the layout of the ticket', pt: 'Desejável: o layout da comanda' },
      reason: {
        en: 'it is on paper; print a ticket and send its picture with this report',
        pt: 'está no papel; imprima uma comanda e envie a foto com este relatório',
      },
    },
  ],
};
