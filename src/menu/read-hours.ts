import type { Availability } from '../schemas/merchant/availability.js';
import type { Service } from '../schemas/merchant/service.js';
import { arrayOf } from './entries.js';
import { DAYS_OF_WEEK, type Hours, ownZoneOf, type Period, periodsIn } from './hours.js';
import { DAY_MS, fixedZone, HOUR_MS, MINUTE_MS } from './zone.js';

const SECOND_MS = 1000;

type WeekHours = Availability['hours'][number];
type HolidayHours = NonNullable<Service['serviceHours']>['holidayHours'][number];

interface MutableHours {
  readonly week: Period[][];
  readonly holidays: Map<number, Period[]>;
  readonly unreadable: { path: (string | number)[]; message: string }[];
  /** Returns the periods of each day of which one cannot be read. */
  readonly doubtful: (() => Period[])[];
  /** Of the days that no entry of the week names. */
  readonly otherDays: Period[];
}

export const NOT_A_DATE = 'not a date (YYYY-MM-DD)';
const NOT_A_PERIOD = 'startTime and endTime must be HH:mm:ss';

/**
 * Reads the hours of a service or an availability. A time may be `HH:mm` or
 * `HH:mm:ss`, with a fraction, `Z` or an offset. An end that is not after its
 * start is on the next day. `23:59` and `24:00` mean the end of the day. A day
 * of which a period cannot be read is open all day. An entry without a day that
 * can be read is about the days that no other entry names, and restricts
 * nothing if there is no other.
 *
 * @param weekKey - key of the week's hours in the document, for the paths of issues.
 */
export function readHours(weekHours: unknown, holidayHours: unknown, weekKey: string): Hours {
  const week: Period[][] = DAYS_OF_WEEK.map(() => []);
  const hours: MutableHours = { week, holidays: new Map(), unreadable: [], doubtful: [], otherDays: [] };
  for (const [key, value, read] of [
    [weekKey, weekHours, readWeekHours],
    ['holidayHours', holidayHours, readHolidayHours],
  ] as const) {
    if (!Array.isArray(value ?? [])) hours.unreadable.push({ path: [key], message: 'not an array' });
    for (const [index, entry] of arrayOf(value).entries()) read(entry as never, [key, index], hours);
  }
  // A week without any period closes no day: lenient reading has left out what it cannot read. Unless the store opens on
  // single dates only.
  const known = hours.unreadable.length > 0 ? week.flat() : periodsIn(hours);
  if (known.length === 0) {
    if (hours.holidays.size === 0) return hours;
    hours.doubtful.push(...week.map((day) => () => day));
  }
  const allDay = { start: 0, end: DAY_MS, zone: ownZoneOf(hours) };
  for (const periodsOf of hours.doubtful) periodsOf().push(allDay);
  for (const [day, periods] of week.entries()) if (periods.length === 0) week[day] = hours.otherDays;
  return hours;
}

function readWeekHours(
  entry: WeekHours | null,
  path: (string | number)[],
  { week, unreadable, doubtful, otherDays }: MutableHours,
): void {
  const period = readPeriod(entry?.timePeriods);
  if (!period) unreadable.push({ path: [...path, 'timePeriods'], message: NOT_A_PERIOD });
  if (Object(entry) !== entry) return;
  const value: unknown = entry?.dayOfWeek;
  const add = (periods: Period[]) => (period ? periods.push(period) : doubtful.push(() => periods));
  const names = [value].flat();
  let isOfOthers = names.length > 0;
  for (const [index, name] of names.entries()) {
    const periods = typeof name === 'string' && week[DAYS_OF_WEEK.indexOf(name.trim().toUpperCase())];
    if (!periods) unreadable.push({ path: [...path, 'dayOfWeek', index], message: 'not a day of the week' });
    else {
      isOfOthers = false;
      add(periods);
    }
  }
  if (isOfOthers) add(otherDays);
}

function readHolidayHours(
  entry: HolidayHours | null,
  path: (string | number)[],
  { holidays, unreadable, doubtful }: MutableHours,
): void {
  const day = readDate(entry?.date);
  if (!entry || day === undefined) {
    unreadable.push({ path: [...path, 'date'], message: NOT_A_DATE });
    return;
  }
  const period = readPeriod(entry.timePeriods);
  const periods = () => {
    const known = holidays.get(day) ?? [];
    holidays.set(day, known);
    return known;
  };
  if (period) periods().push(period);
  else if ((entry.timePeriods ?? undefined) === undefined) periods();
  else {
    unreadable.push({ path: [...path, 'timePeriods'], message: NOT_A_PERIOD });
    doubtful.push(periods);
  }
}

function readPeriod(value: unknown): Period | undefined {
  const { startTime, endTime } = (value ?? {}) as { startTime?: unknown; endTime?: unknown };
  const start = readTime(startTime);
  const end = readTime(endTime);
  if (!start || !end || start.time >= DAY_MS) return undefined;
  // Both times are converted to one offset. A time without an offset has that of the other.
  const offset = start.offset ?? end.offset;
  const shift = (offset ?? 0) - (end.offset ?? offset ?? 0);
  // A period from 23:59 to 23:59 is a whole day and not its last minute.
  const isLastMinute = end.time >= DAY_MS - MINUTE_MS && end.time + shift !== start.time;
  const until = (isLastMinute ? DAY_MS : end.time) + shift;
  const lengthMs = (((until - start.time) % DAY_MS) + DAY_MS) % DAY_MS || DAY_MS;
  const zone = offset === undefined ? undefined : fixedZone(offset);
  return { start: start.time, end: start.time + lengthMs, zone };
}

const TIME = /^(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

function readTime(value: unknown): { time: number; offset: number | undefined } | undefined {
  const match = typeof value === 'string' && value.length < 40 ? TIME.exec(value.trim()) : null;
  if (!match) return undefined;
  const [, hour, minute, second = '0', fraction = '0', zone] = match;
  const ms = Math.floor(Number(`0.${fraction}`) * SECOND_MS);
  const time = Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS + ms;
  const offset = zone === undefined ? undefined : offsetOf(zone);
  return time > DAY_MS || Math.abs(offset ?? 0) >= DAY_MS ? undefined : { time, offset };
}

/** `Z` has no digits. */
function offsetOf(zone: string): number {
  const ms = Number(zone.slice(1, 3)) * HOUR_MS + Number(zone.slice(3).replace(':', '')) * MINUTE_MS;
  return zone.startsWith('-') ? -ms : ms;
}

/** Days since 1970-01-01 of a `YYYY-MM-DD` date; a time after the date is ignored. */
export function readDate(value: unknown): number | undefined {
  const match = typeof value === 'string' ? /^(\d{4})-(\d{2})-(\d{2})(?:[T ]|$)/.exec(value) : null;
  if (!match) return undefined;
  const [, year, month, date] = match.map(Number) as [number, number, number, number];
  const at = new Date(Date.UTC(year, month - 1, date));
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date ? at.getTime() / DAY_MS : undefined;
}
