import { ConfigurationError } from '../errors.js';
import { shown } from './shown.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What a clock on the wall of a place shows. */
export interface Reading {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Milliseconds since midnight, as the clock shows them. */
  readonly time: number;
}

/** A place's clock: how it reads at an instant, and when it reads something. */
export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC at an instant. */
  offsetAt(instant: number): number;
}

/** A fixed offset, as in `10:00:00-03:00`; `Z` is zero. */
export function fixedZone(offsetMs: number): Zone {
  const sign = offsetMs < 0 ? '-' : '+';
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const name = offsetMs === 0 ? 'UTC' : `${sign}${two(minutes / 60)}:${two(minutes % 60)}`;
  return { name, offsetAt: () => offsetMs };
}

/** From the year 1000, for years are read as numbers, to the last one a `Date` knows. */
const FIRST_MS = Date.UTC(1000, 0, 1);
const LAST_MS = 8.64e15 - DAY_MS;

const named = new Map<string, Zone>();

/**
 * A zone of the IANA data base, with its changes of summer time.
 *
 * @throws {ConfigurationError} this runtime does not know it.
 */
export function namedZone(name: string): Zone {
  const known = named.get(name);
  if (known) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new ConfigurationError(
      'timeZone',
      `'${shown(name)}' is no IANA time zone such as 'America/Sao_Paulo'`,
    );
  }
  // A menu is asked about all its entries at one instant.
  let last = { whole: Number.NaN, offset: 0 };
  const zone: Zone = {
    name,
    offsetAt(instant) {
      const whole = Math.floor(Math.min(Math.max(instant, FIRST_MS), LAST_MS) / 1000) * 1000;
      if (last.whole === whole) return last.offset;
      const part: Record<string, number> = {};
      for (const { type, value } of format.formatToParts(whole)) part[type] = Number(value);
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
      last = { whole, offset: Date.UTC(year, month - 1, day, hour, minute, second) - whole };
      return last.offset;
    },
  };
  named.set(name, zone);
  return zone;
}

export function readingAt(instant: number, zone: Zone): Reading {
  const local = instant + zone.offsetAt(instant);
  const day = Math.floor(local / DAY_MS);
  return { day, time: local - day * DAY_MS };
}

/**
 * The instants at which the place's clock shows this time: two where it is put
 * back over it, none where it leaps over it.
 */
export function instantsOf({ day, time }: Reading, zone: Zone): readonly number[] {
  const local = day * DAY_MS + time;
  const candidates = new Set([local - zone.offsetAt(local - DAY_MS), local - zone.offsetAt(local + DAY_MS)]);
  const shown = [...candidates].filter((instant) => instant + zone.offsetAt(instant) === local);
  return shown.sort((one, other) => one - other);
}

/** When the place's clock is changed on a day: once or never. */
export function changesOn(day: number, zone: Zone): readonly number[] {
  let low = day * DAY_MS - zone.offsetAt((day - 1) * DAY_MS) - 1;
  let high = low + DAY_MS + 3_600_000;
  const before = zone.offsetAt(low);
  if (zone.offsetAt(high) === before) return [];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return [high];
}
