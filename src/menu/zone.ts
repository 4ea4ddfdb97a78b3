import { ConfigurationError } from '../errors/index.js';
import { truncated } from './entries.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The last instant that a `Date` can represent. */
const MAX_EPOCH_MS = 8.64e15;

/** An instant: epoch ms or a `Date`. */
export type Instant = number | Date;

/** @throws {ConfigurationError} the value is not an instant. */
export function toEpochMs(name: string, value: unknown): number {
  const ms = value instanceof Date ? value.getTime() : value;
  if (typeof ms === 'number' && Math.abs(ms) <= MAX_EPOCH_MS) return ms;
  throw new ConfigurationError(name, 'must be epoch ms or a valid Date');
}

interface WallTime {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Milliseconds since midnight. */
  readonly time: number;
}

export interface Zone {
  readonly name: string;
  /** Milliseconds to add to UTC at an instant. */
  offsetAt(instant: number): number;
}

/** A zone with a constant offset from UTC, as in `10:00:00-03:00`. */
export function fixedZone(offsetMs: number): Zone {
  const sign = offsetMs < 0 ? '-' : '+';
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const name = offsetMs === 0 ? 'UTC' : `${sign}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`;
  return { name, offsetAt: () => offsetMs };
}

/** The formatter prints years without an era; years before 1000 would be misread. */
const MIN_FORMATTED_MS = Date.UTC(1000, 0, 1);
const MAX_FORMATTED_MS = MAX_EPOCH_MS - DAY_MS;

const namedZones = new Map<string, Zone>();

/**
 * A zone of the IANA database, with its changes of daylight saving time.
 *
 * @throws {ConfigurationError} the runtime does not know the zone.
 */
export function namedZone(name: string): Zone {
  const cached = namedZones.get(name);
  if (cached) return cached;
  const format = formatOf(name);
  // A menu is usually asked about many entries at the same instant.
  let last = { second: Number.NaN, offset: 0 };
  const zone: Zone = {
    name,
    offsetAt(instant) {
      const within = Math.min(Math.max(instant, MIN_FORMATTED_MS), MAX_FORMATTED_MS);
      const wholeSecond = Math.floor(within / 1000) * 1000;
      if (last.second === wholeSecond) return last.offset;
      const part: Record<string, number> = {};
      for (const { type, value } of format.formatToParts(wholeSecond)) part[type] = Number(value);
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
      const offset = Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecond;
      last = { second: wholeSecond, offset };
      return offset;
    },
  };
  namedZones.set(name, zone);
  return zone;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    const message = `'${truncated(timeZone)}' is not an IANA time zone; pass one such as 'America/Sao_Paulo'`;
    throw new ConfigurationError('timeZone', message);
  }
}

export function wallTimeAt(instant: number, zone: Zone): WallTime {
  const local = instant + zone.offsetAt(instant);
  const day = Math.floor(local / DAY_MS);
  return { day, time: local - day * DAY_MS };
}

/**
 * The instants at which a clock in the zone shows a time, in order: two if it is
 * put back over that time on that day, none if it is put forward over it.
 */
export function instantsOf({ day, time }: WallTime, zone: Zone): readonly number[] {
  const local = day * DAY_MS + time;
  const candidates = new Set([local - zone.offsetAt(local - DAY_MS), local - zone.offsetAt(local + DAY_MS)]);
  // The offset before the clock is put back is the greater one: its instant is the earlier one.
  return [...candidates].filter((instant) => instant + zone.offsetAt(instant) === local);
}

/** The instants at which the zone's offset changes on a day: one or none. */
export function offsetChangesOn(day: number, zone: Zone): readonly number[] {
  let low = day * DAY_MS - zone.offsetAt((day - 1) * DAY_MS) - 1;
  let high = low + DAY_MS + HOUR_MS;
  const before = zone.offsetAt(low);
  if (zone.offsetAt(high) === before) return [];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return [high];
}
