import type { Availability, Service } from '../schemas/merchant.js';
import { changesOn, fixedZone, instantsOf, readingAt, type Zone } from './zone.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** 1970-01-01 was a Thursday. */
const DAYS = ['THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY'];

/** From a time of day to another, perhaps of the day after. */
interface Period {
  readonly start: number;
  /** Above `start`; beyond 24 h it ends on the day after. */
  readonly end: number;
  /** The zone its times are written in; undefined where they carry none. */
  readonly zone: Zone | undefined;
}

/** Hours as `HH:mm:ss` texts say them, ready to be asked. */
export interface Hours {
  /** By day of the week, as `DAYS` counts. */
  readonly week: ReadonlyArray<readonly Period[]>;
  /** Days since 1970 that have hours of their own; none is closed all day. */
  readonly holidays: ReadonlyMap<number, readonly Period[]>;
  /** Places that cannot be read, below the hours' own path; they restrict nothing. */
  readonly unreadable: ReadonlyArray<{
    readonly path: readonly (string | number)[];
    readonly message: string;
  }>;
}

type WeekHours = Availability['hours'];
type ServiceHours = NonNullable<Service['serviceHours']>;

/**
 * Reads hours. Times may be `HH:mm`, `HH:mm:ss`, with fractions, `Z` or an
 * offset. An end at or before its start is on the day after; `23:59:59` and
 * `24:00` end the day.
 */
export function readHours(weekHours: unknown, holidayHours: unknown, weekKey: string): Hours {
  const unreadable: { path: (string | number)[]; message: string }[] = [];
  const week: Period[][] = DAYS.map(() => []);
  const holidays = new Map<number, Period[]>();
  for (const [key, hours] of [
    [weekKey, weekHours],
    ['holidayHours', holidayHours],
  ] as const) {
    if (hours !== undefined && hours !== null && !Array.isArray(hours))
      unreadable.push({ path: [key], message: 'this is no list' });
  }
  for (const [at, entry] of listOf<WeekHours[number]>(weekHours).entries()) {
    const period = readPeriod(entry?.timePeriods);
    if (!period) {
      unreadable.push({ path: [weekKey, at, 'timePeriods'], message: 'these are no times of a day' });
      continue;
    }
    const names: unknown = entry.dayOfWeek;
    const list = typeof names === 'string' ? [names] : names;
    if (!Array.isArray(list))
      unreadable.push({ path: [weekKey, at, 'dayOfWeek'], message: 'these are no days of the week' });
    for (const [dayAt, name] of listOf<unknown>(list).entries()) {
      const day = typeof name === 'string' ? DAYS.indexOf(name.toUpperCase()) : -1;
      if (day >= 0) week[day]?.push(period);
      else
        unreadable.push({ path: [weekKey, at, 'dayOfWeek', dayAt], message: 'this is no day of the week' });
    }
  }
  for (const [at, entry] of listOf<ServiceHours['holidayHours'][number]>(holidayHours).entries()) {
    const day = readDate(entry?.date);
    if (day === undefined) {
      unreadable.push({ path: ['holidayHours', at, 'date'], message: 'this is no date' });
      continue;
    }
    const isClosed = entry.timePeriods === undefined || entry.timePeriods === null;
    const period = isClosed ? undefined : readPeriod(entry.timePeriods);
    if (!isClosed && !period) {
      unreadable.push({ path: ['holidayHours', at, 'timePeriods'], message: 'these are no times of a day' });
      continue;
    }
    const periods = holidays.get(day) ?? [];
    holidays.set(day, periods);
    if (period) periods.push(period);
  }
  return { week, holidays, unreadable };
}

/** Whether anything in the hours says when: without that they restrict nothing. */
export function saysWhen({ week, holidays }: Hours): boolean {
  return week.some((periods) => periods.length > 0) || holidays.size > 0;
}

/** The zone the times themselves name, by which they can be told without knowing where the store is; undefined where one names none. */
export function zoneOf({ week, holidays }: Hours): Zone | undefined {
  const periods = [...week.flat(), ...[...holidays.values()].flat()];
  return periods.every(({ zone }) => zone !== undefined) ? periods[0]?.zone : undefined;
}

export type HoursAnswer = 'open' | 'hours' | 'holiday';

/** Whether an instant is within the hours; `holiday` where the day has hours of its own and it is not within those. */
export function answerAt(hours: Hours, instant: number, local: Zone | undefined): HoursAnswer {
  let onHoliday = false;
  for (const zone of zonesOf(hours, local)) {
    const now = readingAt(instant, zone);
    if (hours.holidays.has(now.day)) onHoliday = true;
    const yesterday = periodsOf(hours, now.day - 1);
    if (
      periodsOf(hours, now.day).some((period) => applies(period, zone, local) && includes(period, now.time))
    )
      return 'open';
    if (yesterday.some((period) => applies(period, zone, local) && includes(period, now.time + DAY_MS)))
      return 'open';
  }
  return onHoliday ? 'holiday' : 'hours';
}

/** Instants at which the hours may begin, day after day from the one before `from`. */
export function* beginnings(
  hours: Hours,
  from: number,
  days: number,
  local: Zone | undefined,
): Generator<number> {
  for (let ahead = -1; ahead <= days; ahead += 1) {
    const instants: number[] = [];
    for (const zone of zonesOf(hours, local)) {
      const day = readingAt(from, zone).day + ahead;
      for (const period of periodsOf(hours, day)) {
        if (applies(period, zone, local)) instants.push(...instantsOf({ day, time: period.start }, zone));
      }
      // A clock that leaps may come into hours past their beginning, and one that is put back into hours that were over.
      instants.push(...changesOn(day, zone));
    }
    yield* instants.sort((one, other) => one - other);
  }
}

const periodsOf = (hours: Hours, day: number): readonly Period[] =>
  hours.holidays.get(day) ?? hours.week[((day % 7) + 7) % 7] ?? [];

const includes = ({ start, end }: Period, time: number): boolean => start <= time && time < end;

const applies = (period: Period, zone: Zone, local: Zone | undefined): boolean =>
  (period.zone ?? local)?.name === zone.name;

/** Every zone in which the hours have times. */
function zonesOf({ week, holidays }: Hours, local: Zone | undefined): Iterable<Zone> {
  const zones = new Map<string, Zone>();
  for (const periods of [...week, ...holidays.values()]) {
    for (const { zone = local } of periods) if (zone) zones.set(zone.name, zone);
  }
  if (zones.size === 0 && local) zones.set(local.name, local);
  return zones.values();
}

function readPeriod(value: unknown): Period | undefined {
  const { startTime, endTime } = (value ?? {}) as { startTime?: unknown; endTime?: unknown };
  const start = readTime(startTime);
  const end = readTime(endTime);
  if (!start || !end || start.time >= DAY_MS) return undefined;
  // Offsets that differ are put right; a time without one is read beside the other.
  const offset = start.offset ?? end.offset;
  const shift = offset === undefined || end.offset === undefined ? 0 : offset - end.offset;
  const until = (end.time >= DAY_MS - SECOND_MS ? DAY_MS : end.time) + shift;
  const lengthMs = (((until - start.time) % DAY_MS) + DAY_MS) % DAY_MS || DAY_MS;
  const zone = offset === undefined ? undefined : fixedZone(offset);
  return { start: start.time, end: start.time + lengthMs, zone };
}

const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

function readTime(value: unknown): { time: number; offset: number | undefined } | undefined {
  const match = typeof value === 'string' && value.length < 40 ? TIME.exec(value.trim()) : null;
  if (!match) return undefined;
  const [, hour, minute, second = '0', fraction = '', zone] = match;
  const ms = Math.floor(Number(`0.${fraction || '0'}`) * SECOND_MS);
  const time = Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS + ms;
  const offset = zone === undefined ? undefined : offsetOf(zone);
  if (time > DAY_MS || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (offset !== undefined && Math.abs(offset) >= DAY_MS) return undefined;
  return { time, offset };
}

function offsetOf(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const ms = Number(zone.slice(1, 3)) * HOUR_MS + Number(zone.slice(3).replace(':', '') || '0') * MINUTE_MS;
  return zone.startsWith('-') ? -ms : ms;
}

/** A date as days since 1970; a time behind it does not count. */
export function readDate(value: unknown): number | undefined {
  const match = typeof value === 'string' ? /^(\d{4})-(\d{2})-(\d{2})(?:[T ]|$)/.exec(value) : null;
  if (!match) return undefined;
  const [, year, month, date] = match.map(Number) as [number, number, number, number];
  const at = new Date(Date.UTC(year, month - 1, date));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date ? at.getTime() / DAY_MS : undefined;
}

const listOf = <Entry>(value: unknown): readonly Entry[] => (Array.isArray(value) ? (value as Entry[]) : []);
