import type { Json } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { answered } from '../answered.js';
import { changed, cleanOrder } from '../schemas/support.js';
import { readAsOrder } from '../standard/reading.js';

const issuesWith = async (...changes: Array<[path: string, value: unknown]>) => {
  const order = changes.reduce<Json>((order, [path, value]) => changed(order, path, value), cleanOrder());
  const { issues } = await readAsOrder(order);
  return issues.map(({ path, code, message, against }) => `${path.join('.')} ${code} ${against}: ${message}`);
};

const reais = (value: number) => ({ value, currency: 'BRL' });

describe('what the standard requires under a condition', () => {
  it.each([
    ['type', 'DELIVERY', 'delivery'],
    ['type', 'DELIVERY', 'customer'],
    ['type', 'TAKEOUT', 'takeout'],
    ['type', 'INDOOR', 'indoor'],
    ['orderTiming', 'SCHEDULED', 'schedule'],
  ])('is an issue of an order whose %s is %s and that has no %s', async (field, value, key) => {
    expect(await issuesWith([field, value], [key, undefined])).toEqual([
      `${key} missing standard: absent; required if ${field} is ${value}`,
    ]);
  });

  it.each([
    [
      'indoor',
      { type: 'INDOOR', indoor: { mode: 'PLACE', indoorDateTime: '2026-05-04T03:02:01Z' } },
      'indoor.place',
      'mode is PLACE',
    ],
    [
      'indoor',
      { type: 'INDOOR', indoor: { mode: 'TAB', indoorDateTime: '2026-05-04T03:02:01Z' } },
      'indoor.tab',
      'mode is TAB',
    ],
    [
      'a discount',
      { discounts: [null, { amount: reais(0), target: 'ITEM' }] },
      'discounts.1.targetId',
      'target is ITEM',
    ],
    [
      'a fee',
      { otherFees: [{ name: 'f', type: 'TIP', receivedBy: 'MARKETPLACE', price: reais(0) }] },
      'otherFees.0.receiverDocument',
      'receivedBy is MARKETPLACE',
    ],
    [
      'a payment',
      { payments: { methods: [{ type: 'PENDING', method: 'CASH', value: 1 }] } },
      'payments.methods.0.changeFor',
      'method is CASH',
    ],
  ])('is an issue in %s too, at the path that the hub sent', async (_, fields, path, condition) => {
    expect(await issuesWith(...Object.entries(fields))).toContain(
      `${path} missing sense: absent; required if ${condition}`,
    );
  });

  it('is an issue once, also if the value is null or cannot be used', async () => {
    expect(await issuesWith(['delivery', null])).toEqual(['delivery null standard: null; read as absent']);
    expect(await issuesWith(['delivery', 'home'])).toEqual([
      'delivery invalid standard: expected an object, got a string',
    ]);
  });

  it('is an issue of a delivery without an address', async () => {
    expect(await issuesWith(['delivery.deliveryAddress', undefined])).toEqual([
      'delivery.deliveryAddress missing standard: absent; an object is required',
    ]);
  });

  it('is not required of an order of another type', async () => {
    expect(await issuesWith(['type', 'CURBSIDE'], ['delivery', undefined], ['customer', undefined])).toEqual([
      'type unknown_value standard: is not a value of the standard',
    ]);
  });
});

describe('the address for the tax invoice of a TAKEOUT order', () => {
  const read = async (billingAddress: unknown) => {
    const takeout = { mode: 'DEFAULT', takeoutDateTime: '2026-05-04T03:02:01Z', billingAddress };
    const { order, issues } = await answered(
      (hub) => hub.orders.get('o'),
      () => Response.json({ ...cleanOrder(), type: 'TAKEOUT', takeout }),
    );
    const { billingAddress: address } = order.takeout ?? {};
    return [address, ...issues.map(({ path, code, against }) => `${path.join('.')} ${code} ${against}`)];
  };
  const complete = { country: 'BR', state: 'BR-SP', city: 'São Paulo', district: 'Moema', street: 'Rua A' };

  it.each<[unknown, unknown, string[]]>([
    [complete, complete, []],
    // The standard requires none of its fields, and a hub may add some.
    [{}, {}, []],
    [{ postalCode: '20111-000', coordinates: {} }, { postalCode: '20111-000', coordinates: {} }, []],
    [undefined, undefined, []],
    [null, undefined, [' null standard']],
    ['Rua A, 12', undefined, [' invalid standard']],
    [{ number: 12 }, { number: '12' }, ['.number coerced standard']],
    [{ complement: null }, {}, ['.complement null standard']],
    [{ city: ['Recife', 'Olinda'] }, {}, ['.city invalid standard']],
    // The spelling of older versions, as in a delivery address.
    [{ streetName: 'Rua A' }, { street: 'Rua A', streetName: 'Rua A' }, ['.streetName alias sense']],
  ])('%j is read as %j', async (sent, address, issues) => {
    const [first, ...others] = await read(sent);
    expect(first).toEqual(address);
    expect(others).toEqual(issues.map((issue) => `takeout.billingAddress${issue}`));
  });
});

describe('totals that do not add up are issues against sense', () => {
  it.each<[string, Array<[string, unknown]>, string[]]>([
    [
      'the items',
      [['total.itemsPrice.value', 54.8]],
      [
        'total.itemsPrice total sense: is not the sum of the total prices of the items',
        'total.orderAmount total sense: is not itemsPrice + otherFees - discount',
      ],
    ],
    [
      'the fees, which are none',
      [['otherFees', undefined]],
      ['total.otherFees total sense: is not the sum of the fees'],
    ],
    [
      'the discounts',
      [['discounts', [{ amount: reais(2), target: 'CART', sponsorshipValues: [] }]]],
      ['total.discount total sense: is not the sum of the discounts'],
    ],
    [
      'the discount, which is subtracted',
      [
        ['discounts', [{ amount: reais(10), target: 'CART', sponsorshipValues: [] }]],
        ['total.discount.value', 10],
      ],
      ['total.orderAmount total sense: is not itemsPrice + otherFees - discount'],
    ],
    [
      'the payments',
      [['payments.methods.0.value', 60]],
      [
        'payments.prepaid total sense: is not the sum of the methods of the type PREPAID',
        'total.orderAmount total sense: is not the sum of the payment methods',
      ],
    ],
    [
      'the payments that are pending',
      [['payments.methods.0.type', 'PENDING']],
      [
        'payments.prepaid total sense: is not the sum of the methods of the type PREPAID',
        'payments.pending total sense: is not the sum of the methods of the type PENDING',
      ],
    ],
  ])('%s', async (_what, changes, issues) => {
    expect(await issuesWith(...changes)).toEqual(issues);
  });

  it('but not for the rounding of floating-point numbers', async () => {
    const prices = [0.1, 0.2];
    const items = prices.map((price) => ({ ...(cleanOrder().items as [Json])[0], totalPrice: reais(price) }));
    expect(
      await issuesWith(
        ['items', items],
        ['total.itemsPrice', reais(0.3)],
        ['total.orderAmount', reais(8.2)],
        [
          'payments',
          {
            prepaid: 8.2,
            pending: 0,
            methods: [{ value: 8.2, currency: 'BRL', type: 'PREPAID', method: 'PIX' }],
          },
        ],
      ),
    ).toEqual([]);
  });

  it('but not if an amount is missing, or in another currency, or a payment has an unknown type', async () => {
    const codes = async (...changes: Array<[string, unknown]>) =>
      (await issuesWith(...changes)).filter((issue) => issue.includes(' total '));
    expect(
      await codes(
        ['items.0.totalPrice', undefined],
        ['total.itemsPrice.value', 1],
        ['total.otherFees', undefined],
      ),
    ).toEqual([]);
    expect(await codes(['otherFees.0.price', { value: 1, currency: 'USD' }])).toEqual([]);
    expect(await codes(['payments.methods.0.type', 'LATER'])).toEqual([]);
    expect(await codes(['payments.methods.0.value', undefined])).toEqual([]);
    expect(await codes(['total', undefined], ['payments', undefined])).toEqual([]);
  });
});
