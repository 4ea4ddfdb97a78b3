import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/schemas/date-time.js';
import {
  at,
  COLLECTIONS,
  changed,
  cleanMerchant,
  cleanOrder,
  merchantWith,
  orderWith,
  pathsAndCodes,
  readMerchant,
  readOrder,
} from './support.js';

/** A deviation that real hubs send, and how it is read. */
interface Variation {
  readonly path: string;
  /** The value that is put at `path`. Undefined: the key is deleted. */
  readonly value: unknown;
  /** The value after reading. Default: unchanged. */
  readonly result?: unknown;
  /** Code of the issue at `path`. Default: no issue. */
  readonly code?: string;
  readonly alsoIssues?: readonly string[];
}

const WEEK = 'services.0.serviceHours.weekHours.0';
const PERIOD = { startTime: '10:00:00', endTime: '22:00:00' };
const reais = (value: number) => ({ value, currency: 'BRL' });

function itReads(kind: 'merchant' | 'order', variations: readonly Variation[]) {
  it.each(variations.map((variation) => [kind, variation.path, variation.value, variation] as const))(
    '%s: %s = %j',
    (_kind, path, value, variation) => {
      const { result = variation.code === 'null' ? undefined : value, code, alsoIssues = [] } = variation;
      const { issues, ...document } =
        kind === 'merchant' ? merchantWith(path, value) : orderWith(path, value);
      expect(at(Object.values(document)[0], path)).toEqual(result);
      expect(issues).toEqual([...(code ? [`${path} ${code}`] : []), ...alsoIssues]);
    },
  );
}

/** Each value at each path, all with the same result. */
const combinations = (paths: readonly string[], values: readonly unknown[], code?: string): Variation[] =>
  paths.flatMap((path) => values.map((value) => ({ path, value, ...(code && { code }) })));

describe('unknown enum values are kept', () => {
  const ofMerchants = [
    'status',
    'basicInfo.merchantType',
    'basicInfo.merchantCategories.0',
    'basicInfo.acceptedCards.0',
    'services.0.status',
    'services.0.serviceType',
    'services.0.serviceTiming.timing.0',
    `${WEEK}.dayOfWeek.0`,
    'categories.0.status',
    'itemOffers.0.status',
    'items.0.status',
    'optionGroups.0.status',
    'optionGroups.0.priceMethod',
    'optionGroups.0.options.0.status',
  ];
  const ofOrders = [
    'type',
    'orderTiming',
    'lastEvent',
    'items.0.unit',
    'otherFees.0.type',
    'otherFees.0.receivedBy',
    'payments.methods.0.type',
    'payments.methods.0.method',
    'payments.methods.0.brand',
    'delivery.deliveredBy',
    'orderPriority',
  ];
  itReads('merchant', combinations(ofMerchants, ['NEWCOMER'], 'unknown_value'));
  itReads(
    'merchant',
    combinations(['items.0.unit'], ['UNIT', 'unit', '8 pieces', '4 pieces', '0', ''], 'unknown_value'),
  );
  itReads('order', combinations(ofOrders, ['NEWCOMER'], 'unknown_value'));
});

describe('times are kept as the hub sent them', () => {
  const zoned = ['Z', '.2Z', '.279Z', '.279154-03:00', '.2791544Z', '+0000'].map(
    (end) => `2022-08-08T13:38:01${end}`,
  );
  const others = ['0001-01-01T00:00:00', '2022-08-08 13:38:01', '2022-08-08T13:38:01.279', '08/08/2022', ''];
  const times = ['10:00', '10:00:00.000Z', '10:00:00Z', '10:00:00-03:00', '24:00:00', '10h', ''];
  const dates = ['2022-08-08T00:00:00.000Z', '08/08/2022'];
  itReads('merchant', combinations(['lastUpdate', 'basicInfo.createdAt'], zoned));
  itReads('merchant', combinations(['lastUpdate', 'basicInfo.createdAt'], others, 'format'));
  itReads('merchant', combinations([`${WEEK}.timePeriods.startTime`], times, 'format'));
  itReads('merchant', combinations(['availabilities.0.startDate'], dates, 'format'));
  itReads('order', combinations(['createdAt', 'preparationStartDateTime'], zoned));
  itReads('order', combinations(['createdAt', 'delivery.estimatedDeliveryDateTime'], others, 'format'));

  it.each([
    ['2022-08-08T13:38:01.2791544Z', Date.UTC(2022, 7, 8, 13, 38, 1, 279)],
    ['2022-08-08T10:38:01-03:00', Date.UTC(2022, 7, 8, 13, 38, 1)],
    ['2022-08-08 13:38:01', Date.UTC(2022, 7, 8, 13, 38, 1)],
    ['2022-08-08t13:38:01z', Date.UTC(2022, 7, 8, 13, 38, 1)],
    ['0001-01-01T00:00:00', undefined],
    ['08/08/2022', undefined],
    [undefined, undefined],
  ])('lastUpdate %s is the instant %s', (text, instant) => {
    expect(instantOf(merchantWith('lastUpdate', text).merchant.lastUpdate)).toBe(instant);
  });
});

describe('a string is read as a number, and a number as a price; cents are never guessed', () => {
  itReads('merchant', [
    { path: 'itemOffers.0.price.value', value: '15.90', result: 15.9, code: 'coerced' },
    { path: 'itemOffers.0.price.value', value: 2500 },
    { path: 'itemOffers.0.index', value: '3', result: 3, code: 'coerced' },
    {
      path: 'basicInfo.minOrderValue',
      value: 15.9,
      result: reais(15.9),
      code: 'coerced',
      alsoIssues: ['basicInfo.minOrderValue.currency defaulted'],
    },
    { path: 'TTL', value: '600', result: 600, code: 'coerced' },
    { path: 'TTL', value: 0 },
  ]);
  itReads('order', [
    {
      path: 'total.orderAmount',
      value: 62.8,
      result: reais(62.8),
      code: 'coerced',
      alsoIssues: ['total.orderAmount.currency defaulted'],
    },
    { path: 'total.orderAmount.value', value: 6280 },
    { path: 'items.0.quantity', value: '2', result: 2, code: 'coerced' },
    { path: 'displayId', value: 77, result: '77', code: 'coerced' },
  ]);
});

describe('an id is any string, also the id of the merchant', () => {
  const ids = ['service-16', '17', '0123456789abcdef0123456789abcdef'];
  itReads(
    'merchant',
    combinations(
      COLLECTIONS.map((key) => `${key}.0.id`),
      ids,
    ),
  );
  itReads(
    'merchant',
    combinations(['services.0.menuId', 'services.0.targetAppId', 'itemOffers.0.itemId'], ids),
  );
  itReads('merchant', combinations(['id'], ['c0ffee00-0000-4000-8000-00000000000a', 'loja 17'], 'format'));
  itReads('order', combinations(['id', 'merchant.id', 'items.0.id', 'customer.id'], ids));
});

describe('a value of a list is read in any letter case', () => {
  itReads('merchant', [
    { path: 'optionGroups.0.priceMethod', value: 'max', result: 'MAX', code: 'coerced' },
    { path: 'services.0.serviceType', value: 'Delivery', result: 'DELIVERY', code: 'coerced' },
    { path: 'services.0.serviceType', value: 'Drone', code: 'unknown_value' },
  ]);
  itReads('order', [
    { path: 'type', value: 'delivery', result: 'DELIVERY', code: 'coerced' },
    { path: 'orderTiming', value: 'Instant', result: 'INSTANT', code: 'coerced' },
    { path: 'delivery.deliveredBy', value: 'merchant', result: 'MERCHANT', code: 'coerced' },
    { path: 'payments.methods.0.type', value: 'pending', result: 'PENDING', code: 'coerced' },
    { path: 'payments.methods.0.method', value: 'pix', result: 'PIX', code: 'coerced' },
  ]);
});

describe('an array of one is read as its object, and an object as an array of one', () => {
  const entry = { dayOfWeek: ['MONDAY'], timePeriods: PERIOD };
  const hours = { id: 'c0ffee00-0000-4000-8000-00000000000a', weekHours: [entry], holidayHours: [] };
  const method = { value: 1, currency: 'BRL', type: 'PREPAID', method: 'PIX' };
  itReads('merchant', [
    { path: 'services.0.serviceHours', value: [hours], result: hours, code: 'coerced' },
    { path: 'services.0.serviceHours.weekHours', value: entry, result: [entry], code: 'coerced' },
    { path: `${WEEK}.timePeriods`, value: [PERIOD], result: PERIOD, code: 'coerced' },
    { path: `${WEEK}.dayOfWeek`, value: 'MONDAY', result: ['MONDAY'], code: 'coerced' },
    { path: 'menus.0.categoryId', value: 'c1', result: ['c1'], code: 'coerced' },
    { path: 'itemOffers.0.availabilityId', value: 'a1', result: ['a1'], code: 'coerced' },
  ]);
  itReads('order', [{ path: 'payments.methods', value: method, result: [method], code: 'coerced' }]);
});

describe('another spelling of a key is read as the key', () => {
  const indoor = { mode: 'PLACE', indoorDateTime: '2026-05-04T03:02:01Z', place: '1' };
  const option = {
    id: 'x',
    name: 'Extra',
    externalCode: 'X',
    unit: 'UN',
    quantity: 1,
    unitPrice: reais(1),
    totalPrice: reais(1),
  };

  it.each([
    ['delivery.deliveryAddress', 'streetName', 'street', 'Rua A'],
    ['delivery.deliveryAddress', 'streetNumber', 'number', '12'],
    ['delivery.deliveryAddress', 'neighborhood', 'district', 'Centro'],
    ['total', 'items', 'itemsPrice', reais(1)],
    ['indoor', 'table', 'place', '4'],
    ['items.0.options.0', 'price', 'totalPrice', reais(1)],
  ])('order: %s.%s is read as %s', (path, alias, key, value) => {
    const order = changed(changed(cleanOrder(), 'indoor', indoor), 'items.0.options', [option]);
    const reading = readOrder(
      changed(changed(order, `${path}.${key}`, undefined), `${path}.${alias}`, value),
    );
    expect(pathsAndCodes(reading)).toEqual([`${path}.${alias} alias`]);
    expect(at(reading.usable && reading.value, `${path}.${key}`)).toEqual(value);
  });

  it.each([
    ['streetName', 'street', 'Rua A'],
    ['streetNumber', 'number', '12'],
    ['neighborhood', 'district', 'Centro'],
  ])('merchant: basicInfo.address.%s is read as %s', (alias, key, value) => {
    const address = 'basicInfo.address';
    const merchant = changed(cleanMerchant(), `${address}.${key}`, undefined);
    const reading = readMerchant(changed(merchant, `${address}.${alias}`, value));
    expect(pathsAndCodes(reading)).toEqual([`${address}.${alias} alias`]);
    expect(at(reading.usable && reading.value, `${address}.${key}`)).toBe(value);
  });
});

it('a window of another format is kept, and is an issue', () => {
  const path = 'services.0.serviceTiming.schedule';
  const schedule = {
    scheduleTimeWindow: '1 hour',
    scheduleStartWindow: '10_MINUTES',
    scheduleEndWindow: '60_MINUTES',
  };
  const { merchant, issues } = merchantWith(path, schedule);
  expect([at(merchant, path), issues]).toEqual([schedule, [`${path}.scheduleTimeWindow format`]]);
});
