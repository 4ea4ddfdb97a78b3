import { describe, expect, it } from 'vitest';
import { lastUpdateAt } from '../../src/merchant/read.js';
import { at, changed, cleanOrder, merchantWith, orderWith, readOrder, told } from './support.js';

/** What hosts do, and what becomes of it: one list for each point of the field notes, in their order. */
interface Variation {
  readonly path: string;
  /** Undefined: taken out. */
  readonly put: unknown;
  /** Where it is not as it was put. */
  readonly read?: unknown;
  /** Of the value at `path`. */
  readonly code?: string;
  readonly alsoIssues?: readonly string[];
}

const WEEK = 'services.0.serviceHours.weekHours.0';
const PERIOD = { startTime: '10:00:00', endTime: '22:00:00' };
const reais = (value: number) => ({ value, currency: 'BRL' });

function holds(of: 'merchant' | 'order', variations: readonly Variation[]) {
  it.each(variations.map((variation) => [of, variation.path, variation.put, variation] as const))(
    '%s: %s: %j',
    (_of, path, put, variation) => {
      const { read = variation.code === 'null' ? undefined : put, code, alsoIssues = [] } = variation;
      const { issues, ...reading } = of === 'merchant' ? merchantWith(path, put) : orderWith(path, put);
      expect(at(Object.values(reading)[0], path)).toEqual(read);
      expect(issues).toEqual([...(code ? [`${path} ${code}`] : []), ...alsoIssues]);
    },
  );
}

/** Each value at each path, with the same outcome. */
const each = (paths: readonly string[], values: readonly unknown[], code?: string): Variation[] =>
  paths.flatMap((path) => values.map((put) => ({ path, put, ...(code && { code }) })));

describe('1: values nobody has named are kept', () => {
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
  holds('merchant', each(ofMerchants, ['NEWCOMER'], 'unknown_value'));
  holds(
    'merchant',
    each(['items.0.unit'], ['UNIT', 'unit', '8 pieces', '4 pieces', '0', ''], 'unknown_value'),
  );
  holds('order', each(ofOrders, ['NEWCOMER'], 'unknown_value'));
});

describe('2: what is missing is told, and null is absent', () => {
  const missing = (path: string, keys: string) => keys.split(' ').map((key) => `${path}.${key} missing`);
  holds('merchant', [
    {
      path: 'basicInfo',
      put: { name: 'Pedizap', contactEmails: [], contactPhones: { commercialNumber: '1' } },
      alsoIssues: missing(
        'basicInfo',
        'document corporateName description averagePreparationTime minOrderValue merchantType merchantCategories address logoImage createdAt acceptedCards',
      ),
    },
    { path: 'TTL', put: undefined, code: 'missing' },
    { path: 'basicInfo.logoImage', put: undefined, code: 'missing' },
    { path: 'basicInfo.acceptedCards', put: null, code: 'null' },
    { path: 'basicInfo.logoImage.CRC-32', put: null, code: 'null' },
    { path: 'basicInfo.logoImage.CRC-32', put: 'a3830353' },
    { path: 'optionGroups', put: undefined, read: [], code: 'defaulted' },
    { path: 'availabilities', put: null, read: [], code: 'defaulted' },
    { path: 'services.0.serviceHours.holidayHours', put: undefined, read: [], code: 'defaulted' },
    { path: 'services.0.targetAppId', put: null, code: 'null' },
    { path: 'items.0.description', put: null, code: 'null' },
    { path: 'items.0.description', put: '' },
    { path: 'items.0.status', put: undefined, read: 'AVAILABLE', code: 'defaulted' },
    { path: 'itemOffers.0.status', put: null, read: 'AVAILABLE', code: 'defaulted' },
    { path: 'items.0.serving', put: 0 },
    {
      path: 'items.0.images',
      put: [{ URL: 'u', type: null }],
      read: [{ URL: 'u' }],
      alsoIssues: ['items.0.images.0.type null'],
    },
    { path: 'optionGroups.0.priceMethod', put: undefined, read: 'SUM', code: 'defaulted' },
    {
      path: 'optionGroups.0.options',
      put: [{ id: 'x', status: 'AVAILABLE' }],
      alsoIssues: missing('optionGroups.0.options.0', 'itemId index price maxPermitted'),
    },
    { path: 'availabilities.0.startDate', put: null, code: 'null' },
    { path: 'availabilities.0.endDate', put: undefined },
    { path: 'basicInfo.address.lat', put: -20.4 },
  ]);
  holds('order', [
    { path: 'customer', put: null, code: 'null' },
    { path: 'payments', put: undefined, code: 'missing' },
    { path: 'payments.methods', put: undefined, read: [], code: 'defaulted' },
    { path: 'delivery.estimatedDeliveryDateTime', put: null, code: 'null' },
    { path: 'items.0.quantity', put: undefined, code: 'missing' },
  ]);
});

describe('3: times are kept as they were written', () => {
  const zoned = ['Z', '.2Z', '.279Z', '.279154-03:00', '.2791544Z', '+0000'].map(
    (end) => `2022-08-08T13:38:01${end}`,
  );
  const others = ['0001-01-01T00:00:00', '2022-08-08 13:38:01', '2022-08-08T13:38:01.279', '08/08/2022', ''];
  const times = ['10:00', '10:00:00.000Z', '10:00:00Z', '10:00:00-03:00', '24:00:00', '10h', ''];
  const dates = ['2022-08-08T00:00:00.000Z', '08/08/2022'];
  holds('merchant', each(['lastUpdate', 'basicInfo.createdAt'], zoned));
  holds('merchant', each(['lastUpdate', 'basicInfo.createdAt'], others, 'format'));
  holds('merchant', each([`${WEEK}.timePeriods.startTime`], times, 'format'));
  holds('merchant', each(['availabilities.0.startDate'], dates, 'format'));
  holds('order', each(['createdAt', 'preparationStartDateTime'], zoned));
  holds('order', each(['createdAt', 'delivery.estimatedDeliveryDateTime'], others, 'format'));

  it.each([
    ['2022-08-08T13:38:01.2791544Z', Date.UTC(2022, 7, 8, 13, 38, 1, 279)],
    ['2022-08-08T10:38:01-03:00', Date.UTC(2022, 7, 8, 13, 38, 1)],
    ['2022-08-08 13:38:01', Date.UTC(2022, 7, 8, 13, 38, 1)],
    ['0001-01-01T00:00:00', Date.parse('0001-01-01T00:00:00Z')],
    ['08/08/2022', undefined],
    [undefined, undefined],
  ])('lastUpdate %s is the instant %s', (text, instant) => {
    expect(lastUpdateAt(merchantWith('lastUpdate', text).merchant)).toBe(instant);
  });
});

describe('4: numbers as texts and prices as numbers; cents are never guessed', () => {
  holds('merchant', [
    { path: 'itemOffers.0.price.value', put: '15.90', read: 15.9, code: 'coerced' },
    { path: 'itemOffers.0.price.value', put: 2500 },
    { path: 'itemOffers.0.index', put: '3', read: 3, code: 'coerced' },
    {
      path: 'basicInfo.minOrderValue',
      put: 15.9,
      read: reais(15.9),
      code: 'coerced',
      alsoIssues: ['basicInfo.minOrderValue.currency defaulted'],
    },
    { path: 'TTL', put: '600', read: 600, code: 'coerced' },
    { path: 'TTL', put: 0 },
  ]);
  holds('order', [
    {
      path: 'total.orderAmount',
      put: 62.8,
      read: reais(62.8),
      code: 'coerced',
      alsoIssues: ['total.orderAmount.currency defaulted'],
    },
    { path: 'total.orderAmount.value', put: 6280 },
    { path: 'items.0.quantity', put: '2', read: 2, code: 'coerced' },
    { path: 'displayId', put: 77, read: '77', code: 'coerced' },
  ]);
});

describe('5: an id is any text, of the merchant too', () => {
  const ids = ['service-16', '17', '0123456789abcdef0123456789abcdef'];
  const entries = [
    'services',
    'menus',
    'categories',
    'itemOffers',
    'items',
    'optionGroups',
    'availabilities',
  ];
  holds(
    'merchant',
    each(
      entries.map((key) => `${key}.0.id`),
      ids,
    ),
  );
  holds('merchant', each(['services.0.menuId', 'services.0.targetAppId', 'itemOffers.0.itemId'], ids));
  holds('merchant', each(['id'], ['c0ffee00-0000-4000-8000-00000000000a', 'loja 17'], 'format'));
  holds('order', each(['id', 'merchant.id', 'items.0.id', 'customer.id'], ids));
});

describe('6: a list of one for its object, and an object for its list', () => {
  const entry = { dayOfWeek: ['MONDAY'], timePeriods: PERIOD };
  const hours = { id: 'c0ffee00-0000-4000-8000-00000000000a', weekHours: [entry], holidayHours: [] };
  const method = { value: 1, currency: 'BRL', type: 'PREPAID', method: 'PIX' };
  holds('merchant', [
    { path: 'services.0.serviceHours', put: [hours], read: hours, code: 'coerced' },
    { path: 'services.0.serviceHours.weekHours', put: entry, read: [entry], code: 'coerced' },
    { path: `${WEEK}.timePeriods`, put: [PERIOD], read: PERIOD, code: 'coerced' },
    { path: `${WEEK}.dayOfWeek`, put: 'MONDAY', read: ['MONDAY'], code: 'coerced' },
    { path: 'menus.0.categoryId', put: 'c1', read: ['c1'], code: 'coerced' },
    { path: 'itemOffers.0.availabilityId', put: 'a1', read: ['a1'], code: 'coerced' },
  ]);
  holds('order', [{ path: 'payments.methods', put: method, read: [method], code: 'coerced' }]);
});

describe('7: another spelling of a key stands for it', () => {
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
    expect(told(reading)).toEqual([`${path}.${alias} alias`]);
    expect(at(reading.usable && reading.value, `${path}.${key}`)).toEqual(value);
  });
});

describe('8: totals that do not add up are read as they are', () => {
  holds('order', each(['total.orderAmount.value', 'total.discount.value', 'payments.prepaid'], [35.5, -1]));
});

describe('10: references that lead nowhere are kept', () => {
  holds('merchant', [
    ...each(['services.0.menuId', 'itemOffers.0.itemId', 'optionGroups.0.options.0.itemId'], ['nowhere']),
    ...each(
      ['menus.0.categoryId', 'categories.0.itemOfferId', 'categories.0.availabilityId'],
      [['nowhere'], []],
    ),
    ...each(['itemOffers.0.availabilityId', 'itemOffers.0.optionGroupsId'], [['nowhere'], []]),
  ]);
});

describe('what the standard has beside the spec is kept', () => {
  const corners = [{ latitude: -23.5, longitude: -46.6 }];
  const polygon = [{ geoCoordinates: corners, price: reais(5), estimateDeliveryTime: 40 }];
  holds('merchant', [
    { path: 'services.0.serviceArea.polygon', put: polygon },
    { path: 'services.0.serviceArea.exclusionAreaPolygon', put: [{ geoCoordinates: corners }] },
    { path: 'basicInfo.address.reference', put: 'Behind the church' },
    ...each(['services.0.serviceTiming.schedule'], [{ scheduleTimeWindow: '45_MINUTES' }]),
    {
      path: 'services.0.serviceTiming.schedule',
      put: { scheduleTimeWindow: '1 hour' },
      alsoIssues: ['services.0.serviceTiming.schedule.scheduleTimeWindow format'],
    },
  ]);
});
