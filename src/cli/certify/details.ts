import { amount, type Detail, day, digits, hour, text, words } from './find-detail.js';

const detail = (en: string, pt: string, expectedIn: Detail['expectedIn']): Detail => ({
  what: { en, pt },
  expectedIn,
});

const stage = (en: string, pt: string, ...others: readonly string[]) =>
  detail(`the status "${en}"`, `o status “${pt}”`, words(en, pt, ...others));

const CASH = 'payments.methods.-1';
const CHANGE_FOR = `${CASH}.changeFor`;

const change: Detail['expectedIn'] = (order) => [
  ...amount(CHANGE_FOR)(order),
  ...amount(CHANGE_FOR, `${CASH}.value`)(order),
];

const HOST = words('MARKETPLACE', 'marketplace', 'plataforma', 'parceiro', 'platform', 'iFood', '99Food');
const STORE = words(
  'MERCHANT',
  'merchant',
  'loja',
  'store',
  'própria',
  'propria',
  'restaurante',
  'restaurant',
);
const TAKEOUT = words('TAKEOUT', 'takeout', 'retirada', 'retirar', 'retira', 'balcão', 'pickup', 'pick-up');

/** What an application shows of an order; the names are those of `shows` and `hides`. */
export const DETAILS = {
  number: detail("the order's number", 'o número do pedido', text('displayId')),
  item: detail('the item', 'o item', text('items.0.name')),
  itemNote: detail('the note of the item', 'a observação do item', text('items.0.specialInstructions')),
  option: detail('the option of the item', 'o complemento do item', text('items.0.options.0.name')),
  customerNote: detail("the customer's note", 'a observação do cliente', text('extraInfo')),
  total: detail('the total', 'o total', amount('total.orderAmount.value')),
  deliveryFee: detail('the delivery fee', 'a taxa de entrega', amount('otherFees.0.price.value')),
  discount: detail('the discount', 'o desconto', amount('discounts.0.amount.value')),
  discountByHost: detail('that the marketplace pays the discount', 'que a plataforma paga o desconto', HOST),
  pending: detail('what is still to pay', 'o valor a cobrar', amount('payments.pending')),
  change: detail('the change', 'o troco', change),
  brand: detail("the card's brand", 'a bandeira do cartão', text(`${CASH}.brand`)),
  paid: detail(
    'that the order is paid',
    'que o pedido está pago',
    words('PREPAID', 'prepaid', 'pago', 'paid'),
  ),
  byStore: detail('that the store delivers', 'que a loja entrega', STORE),
  byHost: detail('that the marketplace delivers', 'que a plataforma entrega', HOST),
  takeout: detail('that the customer comes for it', 'que o cliente retira', TAKEOUT),
  takeoutHour: detail('when the customer comes', 'a hora da retirada', hour('takeout.takeoutDateTime')),
  scheduledDay: detail('the day of delivery', 'a data agendada', day('schedule.scheduledDateTimeStart')),
  table: detail('the table', 'a mesa', text('indoor.place')),
  document: detail('the CPF or CNPJ', 'o CPF ou CNPJ', digits('customer.documentNumber')),
  complement: detail(
    "the address's complement",
    'o complemento do endereço',
    text('delivery.deliveryAddress.complement'),
  ),
  reference: detail(
    "the address's reference",
    'a referência do endereço',
    text('delivery.deliveryAddress.reference'),
  ),
  pickupCode: detail('the pickup code', 'o código de coleta', text('delivery.pickupCode')),
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
} satisfies Readonly<Record<string, Detail>>;

export type DetailName = keyof typeof DETAILS;
