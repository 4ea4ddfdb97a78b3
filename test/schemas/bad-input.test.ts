import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { readMerchant as readMerchantAs } from '../../src/merchant/read.js';
import { MAX_ISSUES, NOT_ALL } from '../../src/reading/issue-collector.js';
import type { Json } from '../../src/testing/fixtures.js';
import { runs } from '../runs.js';

import {
  changed,
  cleanMerchant,
  cleanOrder,
  merchantWith,
  orderWith,
  readMerchant,
  readOrder,
} from './support.js';

const MANY = 100_000;
const ITEMS = runs(MANY, 10);
const LEVELS = 10_000;
const MEGABYTE = 1 << 20;

/** CPU time of a call in ms. Other processes do not affect it. */
function cpuMsOf(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const nested = (open: string, close: string): unknown =>
  JSON.parse(`${open.repeat(LEVELS)}1${close.repeat(LEVELS)}`);

describe('a value that is not a document', () => {
  it.each([
    'null',
    '5',
    '1e400',
    '"x"',
    'true',
    '[]',
    '[1,2]',
    '[[{}]]',
    '{}',
    '[{}]',
    '{"error": 1}',
    '[{"error": 1}]',
  ])('%s throws a typed error', (text) => {
    const read = () => readMerchantAs(JSON.parse(text));
    expect(read).toThrow(InvalidResponseError);
    expect(read).toThrow(/^merchant: not a merchant document: /);
  });
});

describe('a large document', () => {
  it.each([
    ['clean', {}, 0],
    ['deviating', { status: undefined, unit: '8 pieces', ean: null }, 3],
  ] as const)('with very many items (%s) is read in less than a second', (_kind, change, issues) => {
    const document = cleanMerchant();
    const [item] = document.items as [Json];
    const items = Array.from({ length: ITEMS }, (_, index) => ({ ...item, ...change, id: `item-${index}` }));
    const text = JSON.stringify({ ...document, items });
    const parsed = JSON.parse(text);
    let reading: ReturnType<typeof readMerchant> | undefined;
    expect(cpuMsOf(() => (reading = readMerchant(parsed)))).toBeLessThan(1000);
    expect(reading?.issues).toHaveLength(Math.min(issues * ITEMS, MAX_ISSUES + 1));
    expect(reading?.usable && reading.value.items).toHaveLength(ITEMS);
  });

  it.each(['items', 'itemOffers', 'services'])(
    'with 100,000 nulls in %s is read in less than a second',
    (key) => {
      const document = changed(cleanMerchant(), key, Array.from({ length: MANY }, () => null) as never);
      let reading: ReturnType<typeof readMerchant> | undefined;
      expect(cpuMsOf(() => (reading = readMerchant(document)))).toBeLessThan(1000);
      expect(reading?.usable && reading.value).toMatchObject({ [key]: [] });
      expect(reading?.issues).toHaveLength(MAX_ISSUES + 1);
      expect(reading?.issues.at(-1)).toBe(NOT_ALL.standard);
    },
  );

  it('with one entry that is read as 100,000 entries is read in less than a second', () => {
    const period = { startTime: '10:00:00', endTime: '11:00:00' };
    const timePeriods = Array.from({ length: MANY }, () => ({ ...period }));
    const document = changed(cleanMerchant(), 'availabilities.0.hours', [
      { dayOfWeek: ['MONDAY'], timePeriods },
    ]);
    let reading: ReturnType<typeof readMerchant> | undefined;
    expect(cpuMsOf(() => (reading = readMerchant(document)))).toBeLessThan(1000);
    expect(reading?.usable && reading.value.availabilities[0]?.hours).toHaveLength(MANY);
  });

  it.each([
    ['items.0.id', 'one letter', 'x', undefined],
    ['items.0.unit', 'one letter', 'x', 'unknown_value'],
    ['lastUpdate', 'one digit', '2', 'format'],
    ['lastUpdate', 'fractions', '2026-05-04T03:02:01.'.padEnd(MEGABYTE, '0'), 'format'],
    ['id', 'one digit', '1', 'format'],
    ['services.0.serviceHours.weekHours.0.timePeriods.startTime', 'one digit', '0', 'format'],
    ['basicInfo.averageTicket', 'nines', '9', 'invalid'],
    ['basicInfo.averageTicket', 'zeros', '0', 'coerced'],
    ['basicInfo.averageTicket', 'spaces', ' ', 'invalid'],
    ['basicInfo.averageTicket', 'spaces behind a number', '1'.padEnd(MEGABYTE, ' ').concat('x'), 'invalid'],
    ['basicInfo.minOrderValue', 'nines', '9', 'invalid'],
  ])('with a megabyte at %s (%s) is read at once, and its issues are short', (path, _content, text, code) => {
    const document = changed(cleanMerchant(), path, text.padEnd(MEGABYTE, text[0] ?? ''));
    let reading: ReturnType<typeof readMerchant> | undefined;
    expect(cpuMsOf(() => (reading = readMerchant(document)))).toBeLessThan(1000);
    expect(reading?.usable).toBe(true);
    if (code) expect(reading?.issues.map((issue) => issue.code)).toContain(code);
    else expect(reading?.issues).toEqual([]);
    for (const { message } of reading?.issues ?? []) expect(message.length).toBeLessThan(150);
  });
});

describe('a value 10,000 levels deep', () => {
  const PLACES = ['items', 'items.0', 'items.0.status', 'basicInfo', 'itemOffers.0.price', 'x-partner'];

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
    ['arrays in ids', '[{"id":', '}]'],
  ])('of %s is an issue, and is kept under an unknown key', (_kind, open, close) => {
    expect(readMerchant(nested(open, close)).issues).not.toEqual([]);
    expect(readOrder(nested(open, close)).issues).not.toEqual([]);
    for (const path of PLACES) {
      const { merchant, issues } = merchantWith(path, nested(open, close));
      expect(merchant.itemOffers.length).toBeGreaterThan(1);
      expect(issues.length > 0).toBe(path !== 'x-partner');
    }
  });
});

describe('a number', () => {
  it.each([
    ['1e400'],
    ['-1e400'],
    ['"1e400"'],
    ['"NaN"'],
    [`"${'9'.repeat(400)}"`],
    [`"-${'9'.repeat(400)}.5"`],
  ])('that is too large, a price of %s, removes its offer and nothing else', (text) => {
    const { merchant, issues } = merchantWith('itemOffers.0.price.value', JSON.parse(text));
    expect(issues).toEqual(['itemOffers.0.price.value invalid', 'itemOffers.0 left_out']);
    expect(merchant.itemOffers).toHaveLength(2);
    expect(orderWith('total.orderAmount.value', JSON.parse(text)).issues).toEqual([
      'total.orderAmount.value invalid',
      'total.orderAmount left_out',
    ]);
  });

  it('that JSON cannot contain is an issue', () => {
    expect(merchantWith('basicInfo.averageTicket', Number.NaN).issues).toEqual([
      'basicInfo.averageTicket invalid',
    ]);
  });
});

describe('keys that are special in JavaScript', () => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort();
  const hostile =
    '{"__proto__": {"status": "UNAVAILABLE", "id": "stolen", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}';

  it.each([
    '',
    'basicInfo',
    'services.0.serviceHours',
    'items.0',
    'itemOffers.0.price',
    'optionGroups.0.options.0',
  ])('in %j change no other object and are not inherited', (path) => {
    const document = cleanMerchant();
    const target =
      path === '' ? document : path.split('.').reduce<Json>((value, key) => value[key] as Json, document);
    for (const [key, value] of Object.entries(JSON.parse(hostile) as Json)) {
      Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
    }
    delete target.status;
    const reading = readMerchant(document);
    expect(reading.usable).toBe(true);
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    if ('status' in target) expect(target.status).toBe('AVAILABLE');
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  });

  it('with an alias inside are not read as the aliased key', () => {
    const order = cleanOrder();
    const { deliveryAddress } = order.delivery as { deliveryAddress: Json };
    delete deliveryAddress.street;
    Object.defineProperty(deliveryAddress, '__proto__', {
      value: { streetName: 'stolen' },
      enumerable: true,
    });
    const reading = readOrder(order);
    expect(reading.usable && reading.value.delivery?.deliveryAddress?.street).toBeUndefined();
  });
});
