import * as fc from 'fast-check';
import { ConfigurationError, Menu } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { readMerchant } from '../../src/merchant/read.js';
import { runs } from '../runs.js';
import {
  documentOf,
  EVERY_DAY,
  hoursOn,
  issuesOf,
  known,
  type Part,
  type Pizzeria,
  pizzeria,
} from './documents.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number | undefined) => instant && new Date(instant).toISOString();

/** A menu of one service with these hours. */
function open(weekHours: unknown, holidayHours: unknown = [], timeZone?: string) {
  const services = [{ id: 's', serviceHours: { weekHours, holidayHours } }];
  const menu = new Menu(documentOf({ services }), timeZone === undefined ? {} : { timeZone });
  const service = known(menu.services[0]);
  return {
    menu,
    service,
    is: (instant: string) => menu.isAvailable(service, at(instant)),
    /** Checks that it opens exactly at one instant and closes exactly at the other. */
    isExactly: (from: string, to: string) => {
      const around = [at(from) - 1, at(from), at(to) - 1, at(to)];
      const opened = around.map((instant) => menu.isAvailable(service, instant));
      expect(opened, `${from} to ${to}`).toEqual([false, true, true, false]);
    },
    why: (instant: string) => menu.whyUnavailable(service, at(instant))?.reason,
    opens: (instant: string) => iso(menu.opensAt(service, at(instant))),
    issues: issuesOf({ services }),
  };
}

/** A menu of one offer with these availabilities, and the ids that it names. */
function offeredIn(availabilities: readonly Part[], ids: unknown, timeZone?: string) {
  const document = {
    itemOffers: [{ id: 'o', itemId: 'i', availabilityId: ids }],
    items: [{ id: 'i' }],
    availabilities,
  };
  const menu = new Menu(documentOf(document), timeZone === undefined ? {} : { timeZone });
  const offer = known(menu.find('offer', 'o'));
  return {
    issues: issuesOf(document),
    why: (instant: string) => menu.whyUnavailable(offer, at(instant))?.reason,
  };
}

const offered = (availability: Part, timeZone?: string) =>
  offeredIn([{ id: 'a', ...availability }], ['a'], timeZone);

describe('dates', () => {
  it('are read in the zone of the hours of the same availability if the menu has no time zone', () => {
    const hours = [hoursOn(['MONDAY', 'TUESDAY'], '00:00:00-03:00', '24:00:00-03:00')];
    const { why } = offered({ startDate: '2026-01-05', endDate: '2026-01-05', hours });
    expect(why('2026-01-05T02:59:59Z')).toBe('dates');
    expect(why('2026-01-05T03:00:00Z')).toBeUndefined();
    expect(why('2026-01-06T03:00:00Z')).toBe('dates');
  });
});

describe('hours', () => {
  it('include their start and exclude their end', () => {
    const { isExactly, why } = open([hoursOn(['MONDAY'], '08:00:00', '22:00:00')], [], 'UTC');
    isExactly('2026-01-05T08:00:00Z', '2026-01-05T22:00:00Z');
    expect(why('2026-01-05T22:00:00Z')).toBe('hours');
    expect(why('2026-01-06T12:00:00Z')).toBe('hours');
  });

  it('may have several periods a day', () => {
    const lunch = hoursOn(['MONDAY'], '11:00', '15:00');
    const { isExactly, opens } = open([lunch, hoursOn(['MONDAY'], '18:00', '23:00')], [], 'UTC');
    isExactly('2026-01-05T11:00:00Z', '2026-01-05T15:00:00Z');
    isExactly('2026-01-05T18:00:00Z', '2026-01-05T23:00:00Z');
    expect(opens('2026-01-05T15:00:00Z')).toBe('2026-01-05T18:00:00.000Z');
    expect(opens('2026-01-05T10:59:59.999Z')).toBe('2026-01-05T11:00:00.000Z');
    expect(opens('2026-01-05T12:34:56Z')).toBe('2026-01-05T12:34:56.000Z');
    expect(opens('2026-01-05T23:00:00Z')).toBe('2026-01-12T11:00:00.000Z');
  });

  it('may end after midnight, on a day without hours', () => {
    const { is, isExactly } = open([hoursOn(['SATURDAY'], '22:00:00', '02:00:00')], [], 'UTC');
    isExactly('2026-01-10T22:00:00Z', '2026-01-11T02:00:00Z');
    expect([is('2026-01-10T23:59:59.999Z'), is('2026-01-11T00:00:00Z')]).toEqual([true, true]);
    // The hours do not include the morning before.
    expect(is('2026-01-10T01:00:00Z')).toBe(false);
  });

  it.each(['23:59', '23:59:00', '23:59:59', '23:59:59.999', '24:00', '24:00:00', '00:00', '00:00:00.000'])(
    'that end at %s end with the day',
    (end) => {
      const { isExactly, opens, issues } = open([hoursOn(['MONDAY'], '10:00', end)], [], 'UTC');
      isExactly('2026-01-05T10:00:00Z', '2026-01-06T00:00:00Z');
      expect(opens('2026-01-06T00:00:00Z')).toBe('2026-01-12T10:00:00.000Z');
      expect(issues).toEqual([]);
    },
  );

  it.each(['23:59:00.000Z', '23:59:59.000Z'])(
    'of every day from 00:00:00.000Z to %s never close a store, wherever it is',
    (end) => {
      const { is } = open([hoursOn(EVERY_DAY, '00:00:00.000Z', end)], [], 'America/Sao_Paulo');
      // Dinner time: 23:59 in UTC is 20:59 in São Paulo.
      expect(is('2026-01-05T20:59:00-03:00')).toBe(true);
      expect(is('2026-01-05T20:59:59.999-03:00')).toBe(true);
      expect(is('2026-01-05T23:59:30-03:00')).toBe(true);
    },
  );

  it('last 24 hours if start and end are equal', () => {
    const midnight = open([hoursOn(['MONDAY'], '00:00:00', '00:00:00')], [], 'UTC');
    midnight.isExactly('2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z');
    const six = open([hoursOn(['MONDAY'], '06:00:00', '06:00:00')], [], 'UTC');
    six.isExactly('2026-01-05T06:00:00Z', '2026-01-06T06:00:00Z');
  });

  it('are read in every spelling that real hosts send', () => {
    for (const [start, end] of [
      ['8:00', '9:30'],
      ['08:00:00.000', '09:30:00.0'],
      [' 08:00 ', '09:30:00'],
    ] as const) {
      const { isExactly, issues } = open([hoursOn(['monday'], start, end)], [], 'UTC');
      isExactly('2026-01-05T08:00:00Z', '2026-01-05T09:30:00Z');
      expect(issues).toEqual([]);
    }
    const bare = open(
      [{ dayOfWeek: 'MONDAY', timePeriods: { startTime: '08:00', endTime: '09:30' } }],
      [],
      'UTC',
    );
    bare.isExactly('2026-01-05T08:00:00Z', '2026-01-05T09:30:00Z');
  });

  it('are in the local time of the store, with daylight saving time', () => {
    const { isExactly } = open([hoursOn(['MONDAY'], '08:00', '09:00')], [], 'America/New_York');
    isExactly('2026-01-05T13:00:00Z', '2026-01-05T14:00:00Z');
    isExactly('2026-07-06T12:00:00Z', '2026-07-06T13:00:00Z');
    // Monday there begins on Sunday in UTC.
    const far = open([hoursOn(['MONDAY'], '00:00', '01:00')], [], 'Pacific/Kiritimati');
    far.isExactly('2026-01-04T10:00:00Z', '2026-01-04T11:00:00Z');
  });

  it('keep their own offset or Z in any time zone of the menu', () => {
    for (const timeZone of [undefined, 'Asia/Tokyo', 'America/Sao_Paulo']) {
      const utc = open([hoursOn(['MONDAY'], '10:00:00.000Z', '12:00:00.000Z')], [], timeZone);
      utc.isExactly('2026-01-05T10:00:00Z', '2026-01-05T12:00:00Z');
      expect(utc.opens('2026-01-05T12:00:00Z')).toBe('2026-01-12T10:00:00.000Z');
      const west = open([hoursOn(['MONDAY'], '22:00:00-03:00', '23:00:00-03:00')], [], timeZone);
      west.isExactly('2026-01-06T01:00:00Z', '2026-01-06T02:00:00Z');
      const mixed = open([hoursOn(['MONDAY'], '10:00:00-0300', '14:00:00Z')], [], timeZone);
      mixed.isExactly('2026-01-05T13:00:00Z', '2026-01-05T14:00:00Z');
      const half = open([hoursOn(['MONDAY'], '10:00', '12:00Z')], [], timeZone);
      half.isExactly('2026-01-05T10:00:00Z', '2026-01-05T12:00:00Z');
      // 10:00+14:00 is 20:00 UTC of the day before; the period ends four hours later.
      const wide = open([hoursOn(['MONDAY'], '10:00+14:00', '12:00-12:00')], [], timeZone);
      wide.isExactly('2026-01-04T20:00:00Z', '2026-01-05T00:00:00Z');
      expect(wide.opens('2026-01-03T00:00:00Z')).toBe('2026-01-04T20:00:00.000Z');
    }
  });

  it('may mix local times and times with an offset', () => {
    const both = [hoursOn(['MONDAY'], '08:00', '09:00'), hoursOn(['MONDAY'], '08:00Z', '09:00Z')];
    const { isExactly, opens } = open(both, [], 'America/Sao_Paulo');
    isExactly('2026-01-05T08:00:00Z', '2026-01-05T09:00:00Z');
    isExactly('2026-01-05T11:00:00Z', '2026-01-05T12:00:00Z');
    expect(opens('2026-01-05T09:00:00Z')).toBe('2026-01-05T11:00:00.000Z');
  });

  it('without an offset require a time zone of the menu', () => {
    const { menu, service, is } = open([hoursOn(['MONDAY'], '10:00', '12:00')]);
    expect(() => is('2026-01-05T10:00:00Z')).toThrow(ConfigurationError);
    expect(() => menu.opensAt(service, 0)).toThrow(/timeZone/);
    expect(() => open([], [{ date: '2026-01-05' }]).is('2026-01-05T10:00:00Z')).toThrow(ConfigurationError);
    expect(() => offered({ startDate: '2026-01-01', hours: [] }).why('2026-01-05T10:00:00Z')).toThrow(
      ConfigurationError,
    );
    for (const timeZone of ['Mars/Olympus', '', 'x'.repeat(1000)]) {
      const make = () => new Menu(documentOf(pizzeria()), { timeZone });
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(/^timeZone: '.{0,81}' is not an IANA time zone/);
    }
    expect(() => new Menu(documentOf(pizzeria()), { timezone: 'UTC' } as never)).toThrow(/timezone/);
    for (const options of [null, 5, 'UTC', []]) {
      const make = () => new Menu(documentOf(pizzeria()), options as never);
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow('options: must be an object');
    }
    // No time was asked for, so no zone is needed.
    expect(menu.issues).toEqual([]);
  });

  it('that are absent or empty restrict nothing', () => {
    for (const hours of [undefined, null, []]) {
      const { is, opens } = open(hours, hours);
      expect(is('2026-01-05T03:00:00Z')).toBe(true);
      expect(opens('2026-01-05T03:00:00Z')).toBe('2026-01-05T03:00:00.000Z');
      const withHoliday = open(hours, [{ date: '2026-12-25' }], 'UTC');
      expect(withHoliday.is('2026-01-05T03:00:00Z')).toBe(true);
      expect(withHoliday.is('2026-12-25T12:00:00Z')).toBe(false);
    }
  });

  it('of single dates only close the other days, unless the week cannot be read', () => {
    const timePeriods = { startTime: '10:00:00', endTime: '12:00:00' };
    const dated = [{ date: '2026-12-24', timePeriods }];
    expect(open('weekdays', dated, 'UTC').is('2026-12-23T11:00:00Z')).toBe(true);
    const { is } = open([], dated, 'UTC');
    expect([is('2026-12-24T11:00:00Z'), is('2026-12-24T13:00:00Z'), is('2026-12-23T11:00:00Z')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['times', [hoursOn(['MONDAY'], 'ten', '12:00')], 'weekHours.0.timePeriods'],
    ['a start of 24:00', [hoursOn(['MONDAY'], '24:00', '12:00')], 'weekHours.0.timePeriods'],
    ['minutes', [hoursOn(['MONDAY'], '10:60', '12:00')], 'weekHours.0.timePeriods'],
    ['hours', [hoursOn(['MONDAY'], '10:00', '24:01')], 'weekHours.0.timePeriods'],
    ['an offset', [hoursOn(['MONDAY'], '10:00+24:00', '12:00Z')], 'weekHours.0.timePeriods'],
    ['no end', [{ dayOfWeek: ['MONDAY'], timePeriods: { startTime: '10:00' } }], 'weekHours.0.timePeriods'],
    ['an entry', [null], 'weekHours.0.timePeriods'],
    ['a day', [hoursOn(['MONDAI'], '10:00', '12:00')], 'weekHours.0.dayOfWeek.0'],
    ['no days', [{ timePeriods: { startTime: '10:00', endTime: '12:00' } }], 'weekHours.0.dayOfWeek.0'],
    ['a string', 'always', 'weekHours'],
  ])('that are unreadable restrict nothing and are an issue: %s', (_, hours, path) => {
    const { is, opens, issues } = open(hours);
    expect(issues).toEqual([`unreadable services.0.serviceHours.${path}`]);
    expect(is('2026-01-05T03:00:00Z')).toBe(true);
    expect(opens('2026-01-05T03:00:00Z')).toBe('2026-01-05T03:00:00.000Z');
  });

  it.each([[undefined], [null], ['MONDAY,TUESDAY'], [['MON', 'TUE']], [[1, 2]]])(
    'without days that can be read (%j) are those of the days that no other entry names, before and after reading',
    (dayOfWeek) => {
      const timePeriods = { startTime: '10:00', endTime: '23:00' };
      const sunday = hoursOn(['SUNDAY '], '12:00', '15:00');
      const weekHours = [{ dayOfWeek, timePeriods }, sunday];
      const services = [{ id: 's', serviceHours: { weekHours } }];
      const [read] = readMerchant(structuredClone({ basicInfo: {}, services })).merchant.services;
      for (const hours of [weekHours, read?.serviceHours?.weekHours]) {
        const { isExactly } = open(hours, [], 'UTC');
        isExactly('2026-01-05T10:00:00Z', '2026-01-05T23:00:00Z');
        isExactly('2026-01-11T12:00:00Z', '2026-01-11T15:00:00Z');
      }
    },
  );

  it.each([[{ dayOfWeek: [], timePeriods: { startTime: '10:00', endTime: '23:00' } }], [null], ['x']])(
    'of an entry without any day, or that is none (%j), are about no other day',
    (entry) => {
      const { is } = open([entry, hoursOn(['SUNDAY'], '12:00', '15:00')], [], 'UTC');
      expect([is('2026-01-05T12:00:00Z'), is('2026-01-11T12:00:00Z')]).toEqual([false, true]);
    },
  );

  it('of very many entries without days are read', { tags: 'slow' }, () => {
    const many = Array(150_000).fill({ dayOfWeek: 1, timePeriods: { startTime: '10:00', endTime: '23:00' } });
    const { is } = open([hoursOn(['MONDAY'], '12:00', '15:00'), ...many], [], 'UTC');
    expect([is('2026-01-05T11:00:00Z'), is('2026-01-06T11:00:00Z')]).toEqual([false, true]);
  });

  it('that are unreadable leave their days open all day, in the zone of the other hours', () => {
    for (const [zone, timeZone] of [
      ['', 'America/Sao_Paulo'],
      ['-03:00', undefined],
    ] as const) {
      const tuesday = hoursOn(['TUESDAY'], `10:00${zone}`, `22:00${zone}`);
      const { is, isExactly, opens } = open([hoursOn(['monday', 'x'], '10h', '22h'), tuesday], [], timeZone);
      isExactly('2026-01-05T03:00:00Z', '2026-01-06T03:00:00Z');
      isExactly('2026-01-06T13:00:00Z', '2026-01-07T01:00:00Z');
      expect(is('2026-01-08T15:00:00Z')).toBe(false);
      expect(opens('2026-01-08T15:00:00Z')).toBe('2026-01-12T03:00:00.000Z');
    }
  });
});

describe('holidays', () => {
  const week = [hoursOn(EVERY_DAY, '10:00', '22:00')];

  it('replace the hours of the week, or close the store all day', () => {
    const christmas = { date: '2026-12-25' };
    const eve = { date: '2026-12-24', timePeriods: { startTime: '09:00', endTime: '14:00' } };
    const { is, why, opens } = open(week, [christmas, eve], 'Europe/Lisbon');
    expect(is('2026-12-24T09:30:00Z')).toBe(true);
    expect(why('2026-12-24T15:00:00Z')).toBe('holiday');
    expect(why('2026-12-25T15:00:00Z')).toBe('holiday');
    expect(why('2026-12-26T09:30:00Z')).toBe('hours');
    expect(opens('2026-12-24T14:00:00Z')).toBe('2026-12-26T10:00:00.000Z');
  });

  it('may have several periods and end after midnight', () => {
    const periods = [
      { startTime: '10:00', endTime: '12:00' },
      { startTime: '23:00', endTime: '01:00' },
    ];
    const holidays = periods.map((timePeriods) => ({ date: '2026-12-31', timePeriods }));
    const { isExactly } = open(week, holidays, 'UTC');
    isExactly('2026-12-31T10:00:00Z', '2026-12-31T12:00:00Z');
    isExactly('2026-12-31T23:00:00Z', '2027-01-01T01:00:00Z');
  });

  it('do not end the hours of the evening before', () => {
    const nights = [hoursOn(EVERY_DAY, '20:00', '02:00')];
    const { is, why } = open(nights, [{ date: '2027-01-01' }], 'UTC');
    expect(is('2026-12-31T23:59:00Z')).toBe(true);
    expect(is('2027-01-01T01:59:00Z')).toBe(true);
    expect(why('2027-01-01T02:00:00Z')).toBe('holiday');
    expect(why('2027-01-01T21:00:00Z')).toBe('holiday');
    expect(why('2027-01-02T01:00:00Z')).toBe('hours');
  });

  it('are dates in the local time of the store', () => {
    const always = [hoursOn(EVERY_DAY, '00:00', '00:00')];
    const { is } = open(always, [{ date: '2027-01-01' }], 'Pacific/Kiritimati');
    expect(is('2026-12-31T09:59:00Z')).toBe(true);
    expect(is('2026-12-31T10:00:00Z')).toBe(false);
    expect(is('2027-01-01T09:59:00Z')).toBe(false);
    expect(is('2027-01-01T10:00:00Z')).toBe(true);
  });

  it('are reported once if the id of their service is a duplicate', () => {
    const serviceHours = { weekHours: [], holidayHours: [{ date: 'x' }] };
    expect(issuesOf({ services: [1, 2].map(() => ({ id: 's', serviceHours })) })).toEqual([
      'duplicate services.1.id',
      'unreadable services.0.serviceHours.holidayHours.0.date',
    ]);
  });

  it('with an unreadable period are open all day; with an unreadable date, the hours of the week apply', () => {
    const holidays = [
      { date: '2026-12-25', timePeriods: { startTime: 'noon', endTime: '14:00' } },
      { date: '25/12/2026' },
      { date: '2026-02-30' },
      null,
    ];
    const { is, issues } = open(week, holidays, 'UTC');
    expect(is('2026-12-25T03:00:00Z')).toBe(true);
    expect(is('2026-12-26T03:00:00Z')).toBe(false);
    expect(is('2026-12-26T15:00:00Z')).toBe(true);
    const [noon] = holidays;
    expect(open([], [noon]).is('2026-12-26T03:00:00Z')).toBe(true);
    expect(open([], [noon, { date: '2026-12-24' }], 'UTC').is('2026-12-25T03:00:00Z')).toBe(true);
    expect(issues).toEqual([
      'unreadable services.0.serviceHours.holidayHours.0.timePeriods',
      'unreadable services.0.serviceHours.holidayHours.1.date',
      'unreadable services.0.serviceHours.holidayHours.2.date',
      'unreadable services.0.serviceHours.holidayHours.3.date',
    ]);
  });
});

describe('availabilities', () => {
  it('include their first and last date in the local time of the store', () => {
    const { why } = offered({ startDate: '2026-01-01', endDate: '2026-12-31' }, 'America/Sao_Paulo');
    expect(why('2026-01-01T02:59:59.999Z')).toBe('dates');
    expect(why('2026-01-01T03:00:00Z')).toBeUndefined();
    expect(why('2027-01-01T02:59:59.999Z')).toBeUndefined();
    expect(why('2027-01-01T03:00:00Z')).toBe('dates');
  });

  it('may have one date, dates followed by a time, and null for no date', () => {
    expect(offered({ startDate: '2026-03-01T00:00:00Z' }, 'UTC').why('2026-02-28T23:59:59Z')).toBe('dates');
    expect(
      offered({ startDate: '2026-03-01', endDate: null }, 'UTC').why('2027-01-01T00:00:00Z'),
    ).toBeUndefined();
    expect(offered({ endDate: '2028-02-29' }, 'UTC').why('2028-02-29T23:59:59Z')).toBeUndefined();
    expect(offered({ endDate: '2028-02-29' }, 'UTC').why('2028-03-01T00:00:00Z')).toBe('dates');
  });

  it('are not restricted by an unreadable date, which is an issue', () => {
    const { why, issues } = offered({ startDate: '1/3/2026', endDate: '2026-13-01' });
    expect(why('2020-01-01T00:00:00Z')).toBeUndefined();
    expect(issues).toContain('unreadable availabilities.0.startDate');
    expect(issues).toContain('unreadable availabilities.0.endDate');
  });

  it('apply if one of several does; dangling ids are ignored', () => {
    const morning = { id: 'a', hours: [hoursOn(EVERY_DAY, '08:00', '12:00')] };
    const evening = { id: 'b', hours: [hoursOn(EVERY_DAY, '18:00', '22:00')] };
    const whyAt = (ids: unknown, hour: string) =>
      offeredIn([morning, evening], ids, 'UTC').why(`2026-01-05T${hour}:00:00Z`);
    expect(['09', '15', '19'].map((hour) => whyAt(['a', 'b'], hour))).toEqual([
      undefined,
      'hours',
      undefined,
    ]);
    expect(whyAt(['x', 'a'], '15')).toBe('hours');
    for (const ids of [['x'], [], undefined, null, 'x']) expect(whyAt(ids, '15')).toBeUndefined();
    expect(whyAt('b', '15')).toBe('hours');
  });

  it('name the hours as the reason if the instant is within the dates of one of them', () => {
    const hours = { id: 'a', hours: [hoursOn(EVERY_DAY, '08:00', '12:00')] };
    const dates = { id: 'b', endDate: '2025-12-31' };
    const whyOf = (...ids: string[]) => offeredIn([hours, dates], ids, 'UTC').why('2026-01-05T15:00:00Z');
    expect([whyOf('a', 'b'), whyOf('b', 'a')]).toEqual(['hours', 'hours']);
  });
});

describe('an entry', () => {
  const noon = at('2026-01-05T20:00:00Z');
  const reasonFor = (
    change: (document: Pizzeria) => void,
    kind: 'category' | 'offer' | 'option' = 'offer',
  ) => {
    const document = pizzeria();
    change(document);
    const menu = new Menu(documentOf(document), { timeZone: 'UTC' });
    const id = { category: 'pizzas', offer: 'margherita', option: 'cheese' }[kind];
    let why = menu.whyUnavailable(known(menu.find(kind, id)), noon);
    const chain: string[] = [];
    for (; why; why = why.reason === 'parent' ? why.because : undefined)
      chain.push(why.reason === 'parent' ? why.id : `${why.reason} of ${why.kind} ${why.id}`);
    return chain.join(', ');
  };
  const off = { status: 'UNAVAILABLE' };
  const set = (list: Part[], more: Part, index = 0) => Object.assign(known(list[index]), more);

  it('is available if everything that it depends on is', () => {
    expect(reasonFor(() => {})).toBe('');
  });

  const never = [hoursOn(['TUESDAY'], '01:00', '02:00')];

  it.each<[cause: string, change: (document: Pizzeria) => void, kind?: 'category' | 'option']>([
    ['status of offer margherita', ({ itemOffers }) => set(itemOffers, off)],
    ['margherita, status of item pizza', ({ items }) => set(items, off)],
    ['margherita, status of category pizzas', ({ categories }) => set(categories, off)],
    ['margherita, pizzas, menu, status of service delivery', ({ services }) => set(services, off)],
    ['margherita, status of merchant m', (document) => Object.assign(document, { id: 'm', ...off })],
    ['cheese, status of item filled', ({ items }) => set(items, off, 1), 'option'],
    ['cheese, status of optionGroup crust', ({ optionGroups }) => set(optionGroups, off), 'option'],
    [
      'status of option cheese',
      ({ optionGroups }) => set(optionGroups, { options: [{ id: 'cheese', ...off }] }),
      'option',
    ],
    ['hours of category pizzas', ({ availabilities }) => set(availabilities, { hours: never }), 'category'],
    [
      'margherita, hours of category pizzas',
      ({ availabilities, itemOffers }) => {
        set(availabilities, { hours: never });
        set(itemOffers, { availabilityId: [] });
      },
    ],
    [
      'margherita, pizzas, menu, hours of service delivery',
      ({ services }) => set(services, { serviceHours: { weekHours: never } }),
    ],
  ])('is not available, and the cause is named: %s', (cause, change, kind) => {
    expect(reasonFor(change, kind)).toBe(cause);
  });

  it('reads the status in any letter case and with spaces around it; an unknown one is AVAILABLE', () => {
    for (const status of ['unavailable', 'UNAVAILABLE ', '\tUnavailable']) {
      expect(reasonFor(({ itemOffers }) => set(itemOffers, { status }))).toBe('status of offer margherita');
      expect(reasonFor((document) => Object.assign(document, { status }))).toContain('status of merchant');
      const group = reasonFor(({ optionGroups }) => set(optionGroups, { minPermitted: 1, status }));
      expect(group).toBe('margherita, options of optionGroup crust');
    }
    for (const status of ['SOLD_OUT', 'NOT UNAVAILABLE', '', 0, ['UNAVAILABLE']])
      expect(reasonFor(({ itemOffers }) => set(itemOffers, { status }))).toBe('');
  });

  it('is available if one of several parents is, whether parents name it or all entries', () => {
    for (const menuLists of [{ categoryId: ['pizzas'] }, {}]) {
      for (const categoryLists of [{ itemOfferId: ['margherita'] }, {}]) {
        const withSecond = (status: string) =>
          reasonFor(({ services, menus, categories }) => {
            set(services, off);
            set(categories, off);
            services.push({ id: 'takeout', menuId: 'other' });
            menus.push({ id: 'other', ...menuLists, categoryId: undefined });
            categories.push({ id: 'more', ...categoryLists, status });
          });
        expect(withSecond('AVAILABLE')).toBe('');
        expect(withSecond('UNAVAILABLE')).toBe('margherita, status of category pizzas');
      }
    }
  });

  it('is not available if a required option group cannot be satisfied', () => {
    const group = (more: Part) => reasonFor(({ optionGroups }) => set(optionGroups, more));
    expect(group({ minPermitted: 1, ...off })).toBe('margherita, options of optionGroup crust');
    expect(group({ minPermitted: 3, maxPermitted: 3 })).toBe('margherita, options of optionGroup crust');
    expect(group({ minPermitted: 0, ...off })).toBe('');
  });

  it('may be passed as the object in the document, or as the entry of another menu with the same id', () => {
    const document = pizzeria();
    const menu = new Menu(documentOf(document), { timeZone: 'UTC' });
    const { services, itemOffers, optionGroups, items } = document;
    for (const entry of [services[0], itemOffers[0], optionGroups[0], items[1]])
      expect(menu.isAvailable(known(entry), noon)).toBe(true);
    const [option] = known(document.optionGroups[0]).options as Part[];
    expect(menu.isAvailable(known(option), noon)).toBe(true);
    expect(() => menu.isAvailable(known(pizzeria().itemOffers[0]), noon)).toThrow(ConfigurationError);
    expect(() => menu.isAvailable(null as never, noon)).toThrow(ConfigurationError);
    const offerOfOther = known(new Menu(documentOf(pizzeria())).find('offer', 'margherita'));
    expect(menu.isAvailable(offerOfOther, noon)).toBe(true);
    expect(() => menu.opensAt(known(document.items[0]), noon)).toThrow(/must be a service/);
    for (const instant of [Number.NaN, new Date('x'), '2026-01-05', 8.65e15, undefined])
      expect(() => menu.isAvailable(known(document.items[0]), instant as never)).toThrow(ConfigurationError);
    expect(menu.isAvailable(known(document.items[0]), new Date(noon))).toBe(true);
  });

  it('is checked without an error at the first and last instant of a Date', () => {
    const { menu, service } = open([hoursOn(['MONDAY'], '10:00', '12:00')], [], 'Europe/Lisbon');
    for (const instant of [8.64e15, -8.64e15, at('0001-01-01T00:00:00Z')]) {
      expect(typeof menu.isAvailable(service, instant)).toBe('boolean');
      const opens = menu.opensAt(service, instant);
      expect(opens === undefined || opens >= instant).toBe(true);
    }
  });
});

describe('opensAt', () => {
  it('looks one year ahead, and is undefined for a service that is closed by status', () => {
    const holidays = (days: number) =>
      Array.from({ length: days }, (_, day) => ({
        date: new Date(at('2026-01-05T00:00:00Z') + day * DAY_MS).toISOString().slice(0, 10),
      }));
    const week = [hoursOn(EVERY_DAY, '10:00', '12:00')];
    expect(open(week, holidays(365), 'UTC').opens('2026-01-05T00:00:00Z')).toBe('2027-01-05T10:00:00.000Z');
    expect(open(week, holidays(400), 'UTC').opens('2026-01-05T00:00:00Z')).toBeUndefined();
    const menu = new Menu(documentOf({ services: [{ id: 's', status: 'UNAVAILABLE' }] }));
    expect(menu.opensAt(known(menu.services[0]), 0)).toBeUndefined();
    const closed = new Menu(documentOf({ status: 'UNAVAILABLE', services: [{ id: 's' }] }));
    expect(closed.opensAt(known(closed.services[0]), 0)).toBeUndefined();
  });

  it('finds an opening after New Year', () => {
    const { opens } = open([hoursOn(['FRIDAY'], '00:00', '02:00')], [], 'America/New_York');
    expect(opens('2026-12-31T12:00:00Z')).toBe('2027-01-01T05:00:00.000Z');
  });

  it('is right around a date that a zone has skipped', () => {
    // Samoa went from Thursday the 29th to Saturday the 31st.
    const friday = open([hoursOn(['FRIDAY'], '10:00', '12:00')], [], 'Pacific/Apia');
    expect(friday.opens('2011-12-29T12:00:00Z')).toBe('2012-01-05T20:00:00.000Z');
    const saturday = open([hoursOn(['SATURDAY'], '00:00', '12:00')], [], 'Pacific/Apia');
    expect(saturday.opens('2011-12-29T12:00:00Z')).toBe('2011-12-30T10:00:00.000Z');
  });

  /** The local time of each minute, by the formatter of the runtime. */
  function wallClock(timeZone: string, from: number, minutes: number) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    return Array.from({ length: minutes }, (_, minute) => {
      const part = Object.fromEntries(
        format.formatToParts(from + minute * MINUTE_MS).map(({ type, value }) => [type, value]),
      );
      return {
        day: DAYS.indexOf(known(part.weekday).toUpperCase()),
        time: Number(part.hour) * 60 + Number(part.minute),
      };
    });
  }

  interface Period {
    readonly days: readonly string[];
    readonly start: number;
    readonly end: number;
  }
  const isOpen = (periods: readonly Period[], { day, time }: { day: number; time: number }) =>
    periods.some(({ days, start, end }) => {
      const isOn = (of: number) => days.includes(known(DAYS[(of + 7) % 7]));
      if (start < end) return isOn(day) && start <= time && time < end;
      return (isOn(day) && time >= start) || (isOn(day - 1) && time < end);
    });
  const clockText = (minute: number) =>
    `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00`;
  const anyPeriods = fc.array(
    fc.record({
      days: fc.subarray(['FRIDAY', 'SATURDAY', 'SUNDAY', 'MONDAY'], { minLength: 1 }),
      // Most times are near the hours at which clocks are changed.
      start: fc.oneof(fc.integer({ min: 0, max: 240 }), fc.integer({ min: 0, max: 1439 })),
      end: fc.oneof(fc.integer({ min: 0, max: 240 }), fc.integer({ min: 0, max: 1439 })),
    }),
    { minLength: 1, maxLength: 3 },
  );

  it.each([
    ['Europe/Lisbon', '2026-03-29T01:00:00Z'],
    ['Europe/Lisbon', '2026-10-25T01:00:00Z'],
    ['America/New_York', '2026-03-08T07:00:00Z'],
    ['America/New_York', '2026-11-01T06:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['Pacific/Chatham', '2026-04-04T14:00:00Z'],
    ['Pacific/Chatham', '2026-09-26T14:00:00Z'],
    // Clocks change at midnight there.
    ['America/Santiago', '2026-04-05T03:00:00Z'],
    ['America/Santiago', '2026-09-06T04:00:00Z'],
  ])('is the first open minute around the clock change in %s at %s', (timeZone, change) => {
    const from = at(change) - 30 * 60 * MINUTE_MS;
    const minutes = 60 * 60;
    const shown = wallClock(timeZone, from, minutes);
    const leap = (known(shown[1800]).time - known(shown[1799]).time + 1440) % 1440;
    expect(leap).not.toBe(1);
    fc.assert(
      fc.property(anyPeriods, fc.integer({ min: 0, max: minutes - 1 }), (periods, start) => {
        const { menu, service } = open(
          periods.map(({ days, start, end }) => hoursOn(days, clockText(start), clockText(end))),
          [],
          timeZone,
        );
        for (let minute = 1; minute < minutes; minute += 7) {
          const instant = from + minute * MINUTE_MS;
          if (menu.isAvailable(service, instant) !== isOpen(periods, known(shown[minute])))
            expect.unreachable(`${iso(instant)} ${JSON.stringify(periods)}`);
        }
        for (const minute of [start, 1750, 1790, 1800, 1815]) {
          const opens = menu.opensAt(service, from + minute * MINUTE_MS) as number;
          const first = shown.findIndex((reading, at) => at >= minute && isOpen(periods, reading));
          if (first >= 0) expect(iso(opens)).toBe(iso(from + first * MINUTE_MS));
          else expect(opens).toBeGreaterThanOrEqual(from + minutes * MINUTE_MS);
        }
      }),
      { seed: 3, numRuns: runs(40) },
    );
  });
});
