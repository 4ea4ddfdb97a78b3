import type { Order } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import type { IssueCode } from '../../src/reading/issue-collector.js';
import type { Json } from '../../src/testing/fixtures.js';
import {
  at,
  COLLECTIONS,
  changed,
  cleanMerchant,
  cleanOrder,
  merchantWith,
  pathsAndCodes,
  readOrder,
} from '../schemas/support.js';

describe('an issue', () => {
  it.each<[IssueCode, path: string, put: unknown, read: unknown]>([
    ['missing', 'basicInfo.name', undefined, undefined],
    ['missing', 'services.0.serviceHours', undefined, undefined],
    ['defaulted', 'itemOffers.0.status', undefined, 'AVAILABLE'],
    ['defaulted', 'itemOffers.0.status', null, 'AVAILABLE'],
    ['defaulted', 'optionGroups.0.priceMethod', undefined, 'SUM'],
    ['defaulted', 'availabilities', null, []],
    ['null', 'items.0.ean', null, undefined],
    ['null', 'basicInfo.document', null, undefined],
    ['coerced', 'itemOffers.0.price.value', '54.90', 54.9],
    ['coerced', 'itemOffers.0.price.value', ' 54 ', 54],
    ['coerced', 'items.0.id', 17, '17'],
    ['coerced', 'TTL', '600', 600],
    ['coerced', 'basicInfo.merchantCategories', 'PIZZA', ['PIZZA']],
    ['coerced', 'basicInfo.logoImage', [{ URL: 'u' }], { URL: 'u' }],
    ['unknown_value', 'items.0.unit', '8 pieces', '8 pieces'],
    ['unknown_value', 'status', 'ON_HOLIDAY', 'ON_HOLIDAY'],
    ['format', 'lastUpdate', '0001-01-01T00:00:00', '0001-01-01T00:00:00'],
    ['format', 'services.0.serviceHours.weekHours.0.timePeriods.startTime', '17:00:00.000Z', '17:00:00.000Z'],
    ['format', 'id', 'padaria-17', 'padaria-17'],
    ['invalid', 'basicInfo.averageTicket', 'R$ 20', undefined],
    ['invalid', 'basicInfo.averageTicket', {}, undefined],
    ['invalid', 'basicInfo.createdAt', true, undefined],
    ['invalid', 'TTL', JSON.parse('1e400'), undefined],
    ['invalid', 'services.0.serviceTiming', 'INSTANT', undefined],
  ])('is %s at %s: %j is read as %j', (code, path, put, read) => {
    const { merchant, issues } = merchantWith(path, put);
    expect(issues).toEqual([`${path} ${code}`]);
    expect(at(merchant, path)).toEqual(read);
  });

  it.each(['', ' ', '0x10', '1e3', '15,90', 'NaN', 'Infinity', '-', true, [], {}])(
    'is left_out for an offer whose price is unreadable: %j',
    (value) => {
      const { merchant, issues } = merchantWith('itemOffers.1.price.value', value);
      expect(issues).toEqual(['itemOffers.1.price.value invalid', 'itemOffers.1 left_out']);
      expect(merchant.itemOffers.map(({ index, price }) => [index, price.value])).toEqual([
        [0, 54.9],
        [0, 8.5],
      ]);
    },
  );

  it('is alias if another spelling is used, which happens only while the right key is absent', () => {
    const aliased = changed(
      changed(cleanOrder(), 'delivery.deliveryAddress.street', undefined),
      'delivery.deliveryAddress.streetName',
      'Rua A',
    );
    const reading = readOrder(aliased);
    expect(pathsAndCodes(reading)).toEqual(['delivery.deliveryAddress.streetName alias']);
    expect((reading.usable ? (reading.value as Order) : undefined)?.delivery?.deliveryAddress?.street).toBe(
      'Rua A',
    );
    expect(
      pathsAndCodes(readOrder(changed(cleanOrder(), 'delivery.deliveryAddress.streetName', 'Rua A'))),
    ).toEqual([]);
  });
});

describe('an unusable entry never affects other entries', () => {
  const UNUSABLE: readonly unknown[] = [null, 5, 'x', true, [], [1, 2], {}, { id: {} }, { id: null }, [[]]];

  it.each(COLLECTIONS)('in %s', (collection) => {
    const before = cleanMerchant();
    const whole = before[collection] as Json[];
    for (const unusable of UNUSABLE) {
      const { merchant, issues } = merchantWith(collection, [unusable, ...structuredClone(whole), unusable]);
      expect(at(merchant, collection)).toEqual(whole);
      expect(merchant).toEqual(before);
      const leftOut = issues.filter((issue) => issue.endsWith('left_out'));
      expect(leftOut).toEqual([`${collection}.0 left_out`, `${collection}.${whole.length + 1} left_out`]);
    }
  });

  it('an unusable option does not affect its group, and an unusable period does not affect its service', () => {
    const { merchant } = merchantWith('optionGroups.0.options', [null, { id: 'a' }, 5]);
    expect(merchant.optionGroups[0]?.options?.map(({ id }) => id)).toEqual(['a']);
    const hours = merchantWith('services.0.serviceHours.weekHours.0.timePeriods', 'all day').merchant;
    expect(hours.services).toHaveLength(2);
    expect(hours.services[0]?.serviceHours?.weekHours).toMatchObject([
      { timePeriods: { startTime: '00:00:00', endTime: '23:59:59' } },
    ]);
  });

  it('a collection of the wrong type does not affect the other collections', () => {
    for (const unusable of [5, 'x', true, {}]) {
      const { merchant, issues } = merchantWith('items', unusable);
      expect(merchant).toEqual({ ...cleanMerchant(), items: [] });
      expect(issues).toContain('items coerced');
    }
  });
});

describe('another shape', () => {
  const NOON = { startTime: '11:00:00', endTime: '14:00:00' };
  const NIGHT = { startTime: '18:00:00', endTime: '23:00:00' };
  const WEEK = 'services.0.serviceHours.weekHours';

  it('is read: several periods of a day become one entry each, with the other keys in each of them', () => {
    const entry = { dayOfWeek: ['MONDAY'], timePeriods: [NOON, NIGHT], note: 'kept' };
    const { merchant, issues } = merchantWith(WEEK, [entry, { dayOfWeek: ['SUNDAY'], timePeriods: NOON }]);
    expect(at(merchant, WEEK)).toEqual([
      { dayOfWeek: ['MONDAY'], timePeriods: NOON, note: 'kept' },
      { dayOfWeek: ['MONDAY'], timePeriods: NIGHT, note: 'kept' },
      { dayOfWeek: ['SUNDAY'], timePeriods: NOON },
    ]);
    expect(issues).toEqual([`${WEEK}.0.timePeriods coerced`]);
  });

  it('does not shift the paths of later issues: they point into the document as the hub sent it', () => {
    const entry = { dayOfWeek: ['MONDAY'], timePeriods: [NOON, NIGHT] };
    const { issues } = merchantWith(WEEK, [entry, { dayOfWeek: ['FUNDAY'], timePeriods: NOON }]);
    expect(issues).toEqual([`${WEEK}.0.timePeriods coerced`, `${WEEK}.1.dayOfWeek.0 unknown_value`]);
  });

  it('of a holiday is read as closed all day if it is empty, and only then', () => {
    const HOLIDAYS = 'services.0.serviceHours.holidayHours';
    const { merchant, issues } = merchantWith(HOLIDAYS, [
      { date: '2026-12-24', timePeriods: [NOON, NIGHT] },
      { date: '2026-12-25', timePeriods: [] },
      // Doubtful data closes no store: the hours of the week apply.
      { date: '2026-12-26', timePeriods: 'noon' },
      { date: '2026-12-27', timePeriods: { startTime: '10:00' } },
      { date: '2026-12-28', timePeriods: [NOON, 17] },
      { date: '2026-12-29', timePeriods: null },
    ]);
    expect(at(merchant, HOLIDAYS)).toEqual([
      { date: '2026-12-24', timePeriods: NOON },
      { date: '2026-12-24', timePeriods: NIGHT },
      { date: '2026-12-25' },
      { date: '2026-12-28', timePeriods: NOON },
      { date: '2026-12-29' },
    ]);
    expect(issues.filter((issue) => issue.endsWith('left_out'))).toEqual([
      `${HOLIDAYS}.2 left_out`,
      `${HOLIDAYS}.3 left_out`,
      `${HOLIDAYS}.4 left_out`,
    ]);
  });
});
