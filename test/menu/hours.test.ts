import { describe, expect, it } from 'vitest';
import {
  type Hours,
  isUnrestricted,
  ownZoneOf,
  possibleOpenings,
  whyClosedAt,
} from '../../src/menu/hours.js';
import { readDate, readHours } from '../../src/menu/read-hours.js';
import { fixedZone } from '../../src/menu/zone.js';
import { hoursOn } from './documents.js';

const UTC = fixedZone(0);
const at = (iso: string) => Date.parse(iso);
const week = (...hours: unknown[]): Hours => readHours(hours, undefined, 'weekHours');
const HOUR_MS = 3_600_000;

/** Start and end in hours, of the only period of a Monday. */
function period(startTime: unknown, endTime: unknown) {
  const { week, unreadable } = readHours(
    [{ dayOfWeek: ['MONDAY'], timePeriods: { startTime, endTime } }],
    undefined,
    'hours',
  );
  const [only] = week.flat();
  return only ? [only.start / HOUR_MS, only.end / HOUR_MS, only.zone?.name] : unreadable[0]?.message;
}

describe('a period', () => {
  it.each<[string, string, unknown[]]>([
    ['08:00:00', '22:00:00', [8, 22, undefined]],
    ['8:00', '9:30', [8, 9.5, undefined]],
    [' 08:00:00.0 ', '09:30', [8, 9.5, undefined]],
    ['22:00', '02:00', [22, 26, undefined]],
    ['06:00', '06:00', [6, 30, undefined]],
    ['00:00', '00:00', [0, 24, undefined]],
    ['10:00', '23:59:59', [10, 24, undefined]],
    ['10:00', '23:59', [10, 24, undefined]],
    ['10:00', '23:58', [10, 23 + 58 / 60, undefined]],
    ['23:59', '23:59', [23 + 59 / 60, 47 + 59 / 60, undefined]],
    ['10:00Z', '20:59-03:00', [10, 23 + 59 / 60, 'UTC']],
    ['10:00-03:00', '23:59-03:00', [10, 24, '-03:00']],
    ['10:00', '24:00', [10, 24, undefined]],
    ['10:00Z', '12:00Z', [10, 12, 'UTC']],
    ['10:00-03:00', '12:00-0300', [10, 12, '-03:00']],
    ['10:00-03:00', '14:00Z', [10, 11, '-03:00']],
    ['10:00', '12:00Z', [10, 12, 'UTC']],
  ])('from %s to %s is read as %j', (start, end, expected) => {
    expect(period(start, end)).toEqual(expected);
  });

  it.each<[unknown, unknown]>([
    ['24:00', '12:00'],
    ['10:60', '12:00'],
    ['10:00', '24:01'],
    ['10:00:60', '12:00'],
    ['10:00+24:00', '12:00'],
    ['ten', '12:00'],
    ['10:00', undefined],
    [10, 12],
  ])('from %s to %s is unreadable', (start, end) => {
    expect(period(start, end)).toBe('startTime and endTime must be times of day (HH:mm:ss)');
  });
});

describe('hours', () => {
  it('restrict nothing without a period and a holiday', () => {
    expect(isUnrestricted(week())).toBe(true);
    expect(isUnrestricted(week({ dayOfWeek: ['MONDAI'] }))).toBe(true);
    expect(isUnrestricted(week(hoursOn(['MONDAY'], '10:00', '12:00')))).toBe(false);
    expect(isUnrestricted(readHours([], [{ date: '2026-12-25' }], 'weekHours'))).toBe(false);
  });

  it('have their own zone only if every period has one', () => {
    const withOffset = hoursOn(['MONDAY'], '10:00-03:00', '12:00-03:00');
    expect(ownZoneOf(week(withOffset))?.name).toBe('-03:00');
    expect(ownZoneOf(week(withOffset, hoursOn(['MONDAY'], '14:00', '16:00')))).toBeUndefined();
    expect(ownZoneOf(week())).toBeUndefined();
  });

  it('are closed by the week or by a holiday', () => {
    const hours = readHours([hoursOn(['FRIDAY'], '20:00', '02:00')], [{ date: '2026-12-25' }], 'weekHours');
    expect(whyClosedAt(hours, at('2026-12-18T20:00:00Z'), UTC)).toBeUndefined();
    expect(whyClosedAt(hours, at('2026-12-19T01:59:59Z'), UTC)).toBeUndefined();
    expect(whyClosedAt(hours, at('2026-12-19T02:00:00Z'), UTC)).toBe('hours');
    expect(whyClosedAt(hours, at('2026-12-25T20:00:00Z'), UTC)).toBe('holiday');
    expect(whyClosedAt(hours, at('2026-12-26T01:00:00Z'), UTC)).toBe('hours');
  });

  it('may open at the start of each period, from the day before', () => {
    const hours = week(
      hoursOn(['MONDAY', 'TUESDAY'], '18:00', '20:00'),
      hoursOn(['MONDAY'], '10:00', '12:00'),
    );
    const openings = [...possibleOpenings(hours, at('2026-01-06T12:00:00Z'), 7, UTC)];
    expect(openings.map((instant) => new Date(instant).toISOString())).toEqual([
      '2026-01-05T10:00:00.000Z',
      '2026-01-05T18:00:00.000Z',
      '2026-01-06T18:00:00.000Z',
      '2026-01-12T10:00:00.000Z',
      '2026-01-12T18:00:00.000Z',
      '2026-01-13T18:00:00.000Z',
    ]);
  });

  it('report what is unreadable with its path', () => {
    const { unreadable } = readHours(
      [
        null,
        { dayOfWeek: 5, timePeriods: { startTime: '10:00', endTime: '12:00' } },
        hoursOn(['x'], '1:00', '2:00'),
      ],
      'x',
      'weekHours',
    );
    expect(unreadable.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
      'holidayHours: not an array',
      'weekHours.0.timePeriods: startTime and endTime must be times of day (HH:mm:ss)',
      'weekHours.1.dayOfWeek: not an array of days of the week',
      'weekHours.2.dayOfWeek.0: not a day of the week',
    ]);
  });
});

describe('a date', () => {
  it.each<[unknown, string | undefined]>([
    ['2026-01-05', '2026-01-05'],
    ['2028-02-29', '2028-02-29'],
    ['2026-01-05T23:00:00-03:00', '2026-01-05'],
    ['2026-01-05 23:00', '2026-01-05'],
    ['2026-02-29', undefined],
    ['2026-13-01', undefined],
    ['2026-01-051', undefined],
    ['5/1/2026', undefined],
    [20260105, undefined],
    [null, undefined],
  ])('%j is read as %j', (value, date) => {
    const day = readDate(value);
    expect(day === undefined ? undefined : new Date(day * 86_400_000).toISOString().slice(0, 10)).toBe(date);
  });
});
