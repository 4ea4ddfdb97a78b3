import { ConfigurationError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import {
  fixedZone,
  instantsOf,
  namedZone,
  offsetChangesOn,
  toEpochMs,
  wallTimeAt,
} from '../../src/menu/zone.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const at = (iso: string) => Date.parse(iso);
const dayOf = (date: string) => at(`${date}T00:00:00Z`) / DAY_MS;
const isoOf = (instants: readonly number[]) => instants.map((instant) => new Date(instant).toISOString());

describe('an instant', () => {
  it('is epoch ms or a Date', () => {
    expect(toEpochMs('at', 5)).toBe(5);
    expect(toEpochMs('at', new Date(5))).toBe(5);
    expect(toEpochMs('at', -8.64e15)).toBe(-8.64e15);
  });

  it.each([Number.NaN, 8.65e15, new Date('x'), '2026-01-05', null, undefined, 5n])('is not %s', (value) => {
    expect(() => toEpochMs('from', value)).toThrow(ConfigurationError);
    expect(() => toEpochMs('from', value)).toThrow('from: must be epoch ms or a valid Date');
  });
});

describe('a zone', () => {
  it.each<[number, string]>([
    [0, 'UTC'],
    [-3 * HOUR_MS, '-03:00'],
    [5.5 * HOUR_MS, '+05:30'],
    [-0.5 * HOUR_MS, '-00:30'],
  ])('with an offset of %d ms is called %s', (offset, name) => {
    const zone = fixedZone(offset);
    expect([zone.name, zone.offsetAt(0)]).toEqual([name, offset]);
  });

  it('has the offset of each instant, in winter and summer', () => {
    const zone = namedZone('America/New_York');
    expect(zone.offsetAt(at('2026-01-05T12:00:00Z'))).toBe(-5 * HOUR_MS);
    expect(zone.offsetAt(at('2026-07-05T12:00:00Z'))).toBe(-4 * HOUR_MS);
    expect(zone.offsetAt(at('2026-03-08T06:59:59.999Z'))).toBe(-5 * HOUR_MS);
    expect(zone.offsetAt(at('2026-03-08T07:00:00Z'))).toBe(-4 * HOUR_MS);
    expect(namedZone('America/New_York')).toBe(zone);
  });

  it('has an offset at the first and the last instant of a Date', () => {
    for (const instant of [-8.64e15, 8.64e15]) expect(namedZone('UTC').offsetAt(instant)).toBe(0);
  });

  it.each(['Mars/Olympus', '', 'x'.repeat(1000)])('cannot be named %j', (name) => {
    expect(() => namedZone(name)).toThrow(ConfigurationError);
    expect(() => namedZone(name)).toThrow(/^timeZone: '.{0,81}' is not an IANA time zone/);
  });
});

describe('wall time', () => {
  it('is the day and time that a clock in the zone shows', () => {
    const zone = namedZone('America/Sao_Paulo');
    expect(wallTimeAt(at('2026-01-05T02:59:59.500Z'), zone)).toEqual({
      day: dayOf('2026-01-04'),
      time: DAY_MS - 500,
    });
    expect(wallTimeAt(at('2026-01-05T03:00:00Z'), zone)).toEqual({ day: dayOf('2026-01-05'), time: 0 });
    expect(wallTimeAt(-1, fixedZone(0))).toEqual({ day: -1, time: DAY_MS - 1 });
  });

  it('is shown at one instant on most days, and at two or none on the day of a clock change', () => {
    const zone = namedZone('America/New_York');
    const instants = (date: string, hours: number) =>
      isoOf(instantsOf({ day: dayOf(date), time: hours * HOUR_MS }, zone));
    expect(instants('2026-01-05', 10)).toEqual(['2026-01-05T15:00:00.000Z']);
    expect(instants('2026-03-08', 2.5)).toEqual([]);
    expect(instants('2026-11-01', 1.5)).toEqual(['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z']);
  });
});

describe('the offset changes of a day', () => {
  it.each<[string, string, string[]]>([
    ['America/New_York', '2026-03-08', ['2026-03-08T07:00:00.000Z']],
    ['America/New_York', '2026-11-01', ['2026-11-01T06:00:00.000Z']],
    ['America/New_York', '2026-03-09', []],
    ['Australia/Lord_Howe', '2026-04-05', ['2026-04-04T15:00:00.000Z']],
    ['America/Santiago', '2026-09-06', ['2026-09-06T04:00:00.000Z']],
    ['America/Sao_Paulo', '2026-10-18', []],
  ])('in %s on %s are %j', (zone, date, changes) => {
    expect(isoOf(offsetChangesOn(dayOf(date), namedZone(zone)))).toEqual(changes);
  });
});
