import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { changed, cleanOrder } from '../schemas/support.js';
import { validOrders } from '../standard/documents.js';
import { readAsOrder } from '../standard/reading.js';

const reais = (value: number) => ({ value, currency: 'BRL' });
const priced = (value: number) => ({ unitPrice: reais(value), totalPrice: reais(value) });

/** An order as the release candidate of version 2 has it. */
const orderOfVersion2 = () => ({
  id: 'order-17',
  displayId: 'B-17',
  createdAt: '2026-08-04T15:00:00Z',
  merchant: { id: 'store-1', externalCode: '77' },
  fulfillment: {
    orderType: 'DELIVERY',
    billingAddress: { street: 'Rua A', neighborhood: 'Centro' },
    delivery: { deliveredBy: 'MERCHANT', address: { street: 'Rua A', number: '12' } },
  },
  timing: { orderTiming: 'INSTANT', preparationStartDateTime: '2026-08-04T15:00:00Z' },
  status: 'CREATED',
  lastEvent: 'ORDER_COLLECTED',
  customer: { id: 'c-1', name: 'Ana', phone: { number: '11991234567' }, ordersCountOnMerchant: 0 },
  items: [
    {
      id: 'i-1',
      name: 'Broa',
      quantity: 1,
      pricing: { ...priced(10), optionsPrice: reais(2) },
      options: [{ id: 'o-1', name: 'Manteiga', quantity: 1, pricing: priced(2), options: [] }],
      observations: 'bem quente',
    },
  ],
  otherFees: [{ name: 'Entrega', type: 'DELIVERY_FEE', price: reais(5) }],
  total: { itemsPrice: reais(12), otherFees: reais(5), discount: reais(0), orderAmount: reais(17) },
  payments: {
    prepaid: 17,
    pending: 0,
    methods: [{ value: 17, currency: 'BRL', type: 'PREPAID', method: 'PIX' }],
  },
  context: { salesChannel: 'APP' },
});

const OTHER_VERSION = {
  path: [],
  code: 'other_version',
  message:
    'an order of OpenDelivery v2; this client reads v1, so only the fields that both have are read. ' +
    'Pass a `schema` to orders.get, or ask the hub for v1',
  against: 'standard',
};

describe('an order of version 2 of the standard', () => {
  it('has one issue that says so, and keeps every field', async () => {
    expect(await readAsOrder(orderOfVersion2())).toEqual({
      value: orderOfVersion2(),
      issues: [OTHER_VERSION],
    });
  });

  it.each([
    ['without items', { ...orderOfVersion2(), items: [] }],
    ['without timing', { ...orderOfVersion2(), timing: undefined }],
    ['without fulfillment', { ...orderOfVersion2(), fulfillment: undefined }],
    ['with little else', { id: '1', fulfillment: {}, timing: {} }],
    ['in an array', [{ ...orderOfVersion2(), items: [] }]],
  ])('is recognized also %s', async (_what, document) => {
    const { issues } = await readAsOrder(document);
    expect(issues.filter(({ code }) => code !== 'coerced')).toEqual([OTHER_VERSION]);
  });

  it('also has an issue for each value that was changed', async () => {
    const document = { ...orderOfVersion2(), displayId: 17, total: null };
    const { issues } = await readAsOrder(document);
    expect(issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      ' other_version',
      'displayId coerced',
      'total null',
    ]);
  });
});

describe('an order of version 1', () => {
  const codesWith = async (...changes: Array<[string, unknown]>) => {
    const order = changes.reduce((before, [path, value]) => changed(before, path, value), cleanOrder());
    return (await readAsOrder(order)).issues.map(({ path, code }) => `${path.join('.')} ${code}`);
  };

  it('stays one if one part of it is as in version 2', async () => {
    expect(await codesWith(['type', undefined], ['fulfillment', { orderType: 'DELIVERY' }])).toEqual([
      'type missing',
    ]);
    expect(await codesWith(['orderTiming', undefined], ['timing', {}])).toEqual(['orderTiming missing']);
    expect(await codesWith(['items.0.unitPrice', undefined], ['items.0.pricing', {}])).toEqual([
      'items.0.unitPrice missing',
    ]);
    expect(await codesWith(['type', undefined], ['orderTiming', undefined], ['timing', 'now'])).toEqual([
      'type missing',
      'orderTiming missing',
    ]);
  });

  it('stays one if a hub sends both versions at once, also if it lacks a field of version 1', async () => {
    const { fulfillment, timing, status, items } = orderOfVersion2();
    await fc.assert(
      fc.asyncProperty(
        validOrders,
        fc.constantFrom('type', 'orderTiming', 'extraInfo'),
        async (order, key) => {
          const both = {
            ...order,
            fulfillment,
            timing,
            status,
            items: (order.items as object[]).map((item) => ({ ...item, pricing: items[0]?.pricing })),
            [key]: undefined,
          };
          const { issues } = await readAsOrder(both);
          const reported = issues.filter(({ against }) => against === 'standard');
          expect(reported.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual(
            key === 'extraInfo' ? [] : [`${key} missing`],
          );
        },
      ),
      { seed: 175, numRuns: runs(300, 20) },
    );
  });
});
