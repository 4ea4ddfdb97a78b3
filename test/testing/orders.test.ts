import { createMockHub, ManualClock, type NewOrder } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support.js';
import { faultsByStandard } from './standard.js';

const FULFILMENTS: readonly NewOrder[] = [
  {},
  { type: 'DELIVERY', deliveredBy: 'MARKETPLACE' },
  { type: 'TAKEOUT' },
  { type: 'INDOOR' },
];
const PARTS = ['options', 'discounts', 'fees', 'change'] as const;
/** Every subset of the parts. */
const INCLUDES = Array.from({ length: 16 }, (_, bits) => PARTS.filter((_part, index) => bits & (1 << index)));
const KINDS = FULFILMENTS.flatMap((fulfilment) =>
  (['INSTANT', 'SCHEDULED', 'ONDEMAND'] as const).flatMap((orderTiming) =>
    INCLUDES.map((include) => ({ ...fulfilment, orderTiming, include })),
  ),
);

/** An order as a test reads it. */
interface Amounts {
  readonly items: readonly {
    quantity: number;
    unitPrice: Price;
    optionsPrice?: Price;
    totalPrice: Price;
    options?: readonly { quantity: number; unitPrice: Price; totalPrice: Price }[];
  }[];
  readonly otherFees: readonly { price: Price }[];
  readonly discounts?: readonly { amount: Price; sponsorshipValues: readonly { amount: Price }[] }[];
  readonly total: { itemsPrice: Price; otherFees: Price; discount: Price; orderAmount: Price };
  readonly payments: {
    prepaid: number;
    pending: number;
    methods: readonly { value: number; changeFor?: number }[];
  };
}
type Price = { readonly value: number };

const cents = (value: number) => {
  expect(Number.isInteger(Math.round(value * 1e6) / 1e4)).toBe(true);
  return Math.round(value * 100);
};
const sum = (prices: readonly Price[]) => prices.reduce((total, { value }) => total + cents(value), 0);

function expectToAddUp({ items, otherFees, discounts = [], total, payments }: Amounts): void {
  for (const { quantity, unitPrice, optionsPrice = { value: 0 }, totalPrice, options = [] } of items) {
    for (const option of options) {
      expect(cents(option.totalPrice.value)).toBe(option.quantity * cents(option.unitPrice.value));
    }
    expect(sum([optionsPrice])).toBe(sum(options.map((option) => option.totalPrice)));
    expect(sum([totalPrice])).toBe(quantity * sum([unitPrice, optionsPrice]));
  }
  for (const { amount, sponsorshipValues } of discounts) {
    expect(sum(sponsorshipValues.map((share) => share.amount))).toBe(sum([amount]));
  }
  expect(sum([total.itemsPrice])).toBe(sum(items.map(({ totalPrice }) => totalPrice)));
  expect(sum([total.otherFees])).toBe(sum(otherFees.map(({ price }) => price)));
  expect(sum([total.discount])).toBe(sum(discounts.map(({ amount }) => amount)));
  expect(sum([total.orderAmount])).toBe(sum([total.itemsPrice, total.otherFees]) - sum([total.discount]));
  expect(sum(payments.methods)).toBe(sum([total.orderAmount]));
  expect(cents(payments.prepaid) + cents(payments.pending)).toBe(sum([total.orderAmount]));
  for (const { value, changeFor = Number.POSITIVE_INFINITY } of payments.methods) {
    expect(changeFor).toBeGreaterThan(value);
  }
}

describe('createOrder', () => {
  it('makes orders of every kind that are valid by the standard, and whose totals add up', () => {
    const mock = createMockHub({ clock: new ManualClock() });
    for (const kind of KINDS) {
      const { order, event } = mock.createOrder(kind);
      expect({ kind, faults: faultsByStandard('OrderOfKind', order) }).toEqual({ kind, faults: [] });
      expect(faultsByStandard('Event', event)).toEqual([]);
      expectToAddUp(order as unknown as Amounts);
    }
    expect(KINDS).toHaveLength(192);
  });

  it('makes orders that the client reads without an issue', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const { hub } = clientOf(mock, { fetch: mock.fetch, clock });
    for (const kind of KINDS.filter(({ include }) => include.length === 4)) {
      const { orderId, order } = mock.createOrder(kind);
      expect(await hub.orders.get(orderId)).toEqual({ order, issues: [] });
    }
  });

  it('gives an order the data of its kind, and no data of another kind', () => {
    const mock = createMockHub({ clock: new ManualClock() });
    const keys = ['delivery', 'takeout', 'indoor', 'schedule', 'discounts'];
    const keysOf = (order: NewOrder) => keys.filter((key) => key in mock.createOrder(order).order);
    expect(keysOf({})).toEqual(['delivery']);
    expect(keysOf({ type: 'TAKEOUT' })).toEqual(['takeout']);
    expect(keysOf({ type: 'INDOOR', orderTiming: 'SCHEDULED' })).toEqual(['indoor', 'schedule']);
    expect(keysOf({ include: ['discounts'] })).toEqual(['delivery', 'discounts']);
    expect(
      mock.createOrder({ deliveredBy: 'MARKETPLACE', include: ['options', 'change'] }).order,
    ).toMatchObject({
      delivery: { deliveredBy: 'MARKETPLACE' },
      items: [{ quantity: 2, options: [{ name: 'Filled crust' }], totalPrice: { value: 129.6 } }],
      payments: {
        prepaid: 0,
        pending: 137.5,
        methods: [{ method: 'CASH', type: 'PENDING', changeFor: 150 }],
      },
    });
  });

  it('gives a TAKEOUT order, and no other, an address for the tax invoice', () => {
    const mock = createMockHub({ clock: new ManualClock() });
    const billingAddress = { country: 'BR', state: 'SP', city: 'São Paulo', postalCode: '05422-000' };
    expect(mock.createOrder({ type: 'TAKEOUT' }).order).toMatchObject({ takeout: { billingAddress } });
    for (const type of ['DELIVERY', 'INDOOR'] as const) {
      expect(JSON.stringify(mock.createOrder({ type }).order)).not.toContain('billingAddress');
    }
  });

  it('puts the times of an order in their sequence', () => {
    const mock = createMockHub({ clock: new ManualClock('2026-01-05T12:00:00Z') });
    expect(mock.createOrder().order).toMatchObject({
      createdAt: '2026-01-05T12:00:00.000Z',
      preparationStartDateTime: '2026-01-05T12:00:00.000Z',
      delivery: { estimatedDeliveryDateTime: '2026-01-05T12:40:00.000Z' },
    });
    expect(mock.createOrder({ orderTiming: 'SCHEDULED', type: 'TAKEOUT' }).order).toMatchObject({
      preparationStartDateTime: '2026-01-05T13:35:00.000Z',
      schedule: {
        scheduledDateTimeStart: '2026-01-05T14:00:00.000Z',
        scheduledDateTimeEnd: '2026-01-05T14:30:00.000Z',
      },
      takeout: { takeoutDateTime: '2026-01-05T14:00:00.000Z' },
    });
  });

  it('puts every other key into the order, also in place of its own', () => {
    const mock = createMockHub({ clock: new ManualClock() });
    const given = { type: 'DRONE', extraInfo: 'no onions', customer: null, items: [], total: { x: 1 } };
    const { order } = mock.createOrder({ ...given, clientId: '1001', deliveredBy: 'MERCHANT', include: [] });
    expect(order).toMatchObject(given);
    expect(order).toHaveProperty('delivery');
    for (const key of ['clientId', 'deliveredBy', 'include']) expect(order).not.toHaveProperty(key);
  });

  it('takes the default for a type and a timing that are undefined', () => {
    const mock = createMockHub({ clock: new ManualClock() });
    const kind = { type: undefined, orderTiming: undefined } as unknown as NewOrder;
    expect(mock.createOrder(kind).order).toMatchObject({ type: 'DELIVERY', orderTiming: 'INSTANT' });
  });

  it('refuses a kind that it does not know, and creates nothing', () => {
    const mock = createMockHub();
    // @ts-expect-error an unknown part
    expect(() => mock.createOrder({ include: ['option'] })).toThrow(
      "include[0]: must be one of 'options', 'discounts', 'fees', 'change'; it is 'option'",
    );
    // @ts-expect-error an unknown deliverer
    expect(() => mock.createOrder({ deliveredBy: 'DRONE' })).toThrow(TypeError);
    // @ts-expect-error not an array
    expect(() => mock.createOrder({ include: 'options' })).toThrow('include: must be an array');
    for (const eventType of [undefined, '', 7])
      expect(() => mock.emit(eventType as never)).toThrow('eventType: must be a non-empty string');
    expect(mock.emitted()).toEqual([]);
  });
});
