import type { Text } from './script.js';

/** How a detail of an order is found in the application's answer. Paths are those of the standard's order. */
export interface Detail {
  readonly what: Text;
  /** The string at this path. */
  readonly text?: string;
  /** The digits of the string at this path, with or without punctuation. */
  readonly digits?: string;
  /** An amount at one of these paths, or the difference of the amounts at two. */
  readonly amounts?: readonly (readonly [path: string, less?: string])[];
  /** The day of the instant at this path. */
  readonly day?: string;
  /** The hour of the instant at this path, in UTC, in Brasília or on this machine. */
  readonly hour?: string;
  /** One of these words. In capitals: exactly so. */
  readonly words?: readonly string[];
}

const stage = (en: string, pt: string, ...words: string[]): Detail => ({
  what: { en: `the status "${en}"`, pt: `o status “${pt}”` },
  words: [en, pt, ...words],
});

const CASH = 'payments.methods.-1';

/** What an application shows of an order; the names are those of `shows` and `hides`. */
export const DETAILS = {
  number: { what: { en: "the order's number", pt: 'o número do pedido' }, text: 'displayId' },
  item: { what: { en: 'the item', pt: 'o item' }, text: 'items.0.name' },
  itemNote: {
    what: { en: 'the note of the item', pt: 'a observação do item' },
    text: 'items.0.specialInstructions',
  },
  option: {
    what: { en: 'the option of the item', pt: 'o complemento do item' },
    text: 'items.0.options.0.name',
  },
  customerNote: { what: { en: "the customer's note", pt: 'a observação do cliente' }, text: 'extraInfo' },
  total: { what: { en: 'the total', pt: 'o total' }, amounts: [['total.orderAmount.value']] },
  deliveryFee: {
    what: { en: 'the delivery fee', pt: 'a taxa de entrega' },
    amounts: [['otherFees.0.price.value']],
  },
  discount: { what: { en: 'the discount', pt: 'o desconto' }, amounts: [['discounts.0.amount.value']] },
  discountByHost: {
    what: { en: 'that the marketplace pays the discount', pt: 'que a plataforma paga o desconto' },
    words: ['MARKETPLACE', 'marketplace', 'plataforma', 'parceiro', 'platform', 'iFood', '99Food'],
  },
  pending: { what: { en: 'what is still to pay', pt: 'o valor a cobrar' }, amounts: [['payments.pending']] },
  change: {
    what: { en: 'the change', pt: 'o troco' },
    amounts: [[`${CASH}.changeFor`], [`${CASH}.changeFor`, `${CASH}.value`]],
  },
  brand: { what: { en: "the card's brand", pt: 'a bandeira do cartão' }, text: `${CASH}.brand` },
  paid: {
    what: { en: 'that the order is paid', pt: 'que o pedido está pago' },
    words: ['PREPAID', 'prepaid', 'pago', 'paid'],
  },
  byStore: {
    what: { en: 'that the store delivers', pt: 'que a loja entrega' },
    words: ['MERCHANT', 'merchant', 'loja', 'store', 'própria', 'propria', 'restaurante', 'restaurant'],
  },
  byHost: {
    what: { en: 'that the marketplace delivers', pt: 'que a plataforma entrega' },
    words: ['MARKETPLACE', 'marketplace', 'plataforma', 'parceiro', 'platform', 'iFood', '99Food'],
  },
  takeout: {
    what: { en: 'that the customer comes for it', pt: 'que o cliente retira' },
    words: ['TAKEOUT', 'takeout', 'retirada', 'retirar', 'retira', 'balcão', 'pickup', 'pick-up'],
  },
  takeoutHour: {
    what: { en: 'when the customer comes', pt: 'a hora da retirada' },
    hour: 'takeout.takeoutDateTime',
  },
  scheduledDay: {
    what: { en: 'the day of delivery', pt: 'a data agendada' },
    day: 'schedule.scheduledDateTimeStart',
  },
  scheduledHour: {
    what: { en: 'the hour of delivery', pt: 'a hora agendada' },
    hour: 'schedule.scheduledDateTimeStart',
  },
  table: { what: { en: 'the table', pt: 'a mesa' }, text: 'indoor.place' },
  document: { what: { en: 'the CPF or CNPJ', pt: 'o CPF ou CNPJ' }, digits: 'customer.documentNumber' },
  complement: {
    what: { en: "the address's complement", pt: 'o complemento do endereço' },
    text: 'delivery.deliveryAddress.complement',
  },
  reference: {
    what: { en: "the address's reference", pt: 'a referência do endereço' },
    text: 'delivery.deliveryAddress.reference',
  },
  pickupCode: { what: { en: 'the pickup code', pt: 'o código de coleta' }, text: 'delivery.pickupCode' },
  stageConfirmed: stage('CONFIRMED', 'confirmado', 'confirmed'),
  stageReady: stage('READY_FOR_PICKUP', 'pronto', 'ready', 'ready for pickup'),
  stageDispatched: stage(
    'DISPATCHED',
    'saiu para entrega',
    'despachado',
    'dispatched',
    'em rota',
    'on its way',
  ),
  stageConcluded: stage('CONCLUDED', 'concluído', 'concluido', 'concluded', 'completed', 'finalizado'),
  stageCancelled: stage('CANCELLED', 'cancelado', 'cancelada', 'cancelled', 'canceled'),
} as const satisfies Readonly<Record<string, Detail>>;

export type DetailName = keyof typeof DETAILS;
