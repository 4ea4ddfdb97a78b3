import { fixtureId, type Json } from './fixtures.js';

/** What an order may contain besides the usual: see `NewOrder.include`. */
export const ORDER_PARTS = ['options', 'discounts', 'fees', 'change'] as const;

export type OrderPart = (typeof ORDER_PARTS)[number];

/** Who brings a DELIVERY to the customer. */
export const DELIVERERS = ['MERCHANT', 'MARKETPLACE'] as const;

export type Deliverer = (typeof DELIVERERS)[number];

const PIZZA_CENTS = 5490;
const CRUST_CENTS = 990;
const DELIVERY_CENTS = 790;
const DISCOUNT_CENTS = { MARKETPLACE: 600, MERCHANT: 400 };
const MARKETPLACE_DOCUMENT = '98765432000110';
/** The customer pays with notes of R$ 50. */
const NOTE_CENTS = 5000;

const reais = (cents: number) => ({ value: cents / 100, currency: 'BRL' });

/** Items, fees, discounts, totals and payments. The totals are computed in cents, so they add up. */
export function orderAmounts(deliverer: Deliverer | undefined, parts: ReadonlySet<OrderPart>): Json {
  const item = parts.has('options') ? pizzasWithOption() : pizza();
  const fees = [...deliveryFees(deliverer), ...(parts.has('fees') ? extraFees() : [])];
  const feeCents = sumOf(fees.map(({ cents }) => cents));
  const discountCents = parts.has('discounts') ? sumOf(Object.values(DISCOUNT_CENTS)) : 0;
  const amount = item.cents + feeCents - discountCents;
  return {
    items: [item.document],
    otherFees: fees.map(({ document }) => document),
    ...(parts.has('discounts') && { discounts: [cartDiscount(discountCents)] }),
    total: {
      itemsPrice: reais(item.cents),
      otherFees: reais(feeCents),
      discount: reais(discountCents),
      orderAmount: reais(amount),
    },
    payments: parts.has('change') ? cash(amount) : pix(amount),
  };
}

interface Priced {
  readonly document: Json;
  readonly cents: number;
}

function pizza(quantity = 1, optionCents = 0): Priced {
  const item = line(1, 'Margherita', 'P-1', PIZZA_CENTS, quantity);
  const cents = quantity * (PIZZA_CENTS + optionCents);
  return { document: { ...item, totalPrice: reais(cents) }, cents };
}

/** An item or an option of the fixture store. */
const line = (id: number, name: string, externalCode: string, cents: number, quantity = 1) => ({
  id: fixtureId('item', id),
  index: 0,
  name,
  externalCode,
  unit: 'UN',
  quantity,
  unitPrice: reais(cents),
  totalPrice: reais(quantity * cents),
});

/** Two of the item, so that a price that forgets the quantity or the options is wrong. */
function pizzasWithOption(): Priced {
  const { document, cents } = pizza(2, CRUST_CENTS);
  const option = line(4, 'Filled crust', 'X-1', CRUST_CENTS);
  const specialInstructions = 'Cut into eight slices';
  return {
    document: { ...document, specialInstructions, optionsPrice: reais(CRUST_CENTS), options: [option] },
    cents,
  };
}

function fee(name: string, type: string, receivedBy: Deliverer, cents: number): Priced {
  const receiver = receivedBy === 'MARKETPLACE' && { receiverDocument: MARKETPLACE_DOCUMENT };
  return { document: { name, type, receivedBy, ...receiver, price: reais(cents) }, cents };
}

function deliveryFees(deliverer: Deliverer | undefined): readonly Priced[] {
  return deliverer === undefined ? [] : [fee('Delivery', 'DELIVERY_FEE', deliverer, DELIVERY_CENTS)];
}

function extraFees(): readonly Priced[] {
  return [fee('Service', 'SERVICE_FEE', 'MARKETPLACE', 99), fee('Tip', 'TIP', 'MERCHANT', 500)];
}

function cartDiscount(cents: number): Json {
  const sponsorshipValues = Object.entries(DISCOUNT_CENTS).map(([name, share]) => ({
    name,
    amount: reais(share),
    ...(name === 'MARKETPLACE' && { discountCode: 'BEMVINDO' }),
  }));
  return { amount: reais(cents), target: 'CART', sponsorshipValues };
}

function pix(cents: number): Json {
  const { value, currency } = reais(cents);
  return { prepaid: value, pending: 0, methods: [{ value, currency, type: 'PREPAID', method: 'PIX' }] };
}

/** Paid in cash at the door, with more than the order costs. */
function cash(cents: number): Json {
  const { value, currency } = reais(cents);
  const changeFor = (Math.floor(cents / NOTE_CENTS + 1) * NOTE_CENTS) / 100;
  return {
    prepaid: 0,
    pending: value,
    methods: [{ value, currency, type: 'PENDING', method: 'CASH', changeFor }],
  };
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
