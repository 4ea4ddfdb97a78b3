import { DAY_MS, instantsOf, offsetChangesOn, wallTimeAt, type Zone } from './zone.js';

const MAX_DAYS_AHEAD = 370;

/** The days of the week, beginning with that of 1970-01-01. */
export const DAYS_OF_WEEK: readonly string[] = [
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
];

/** A period that begins on one day and may end on the next. Times are milliseconds since midnight of the first. */
export interface Period {
  readonly start: number;
  /** Greater than `start`; more than 24 h if the period ends on the next day. */
  readonly end: number;
  /** The zone in which the times are written; undefined if they have no offset. */
  readonly zone: Zone | undefined;
}

export interface Hours {
  /** Indexed like `DAYS_OF_WEEK`. */
  readonly week: ReadonlyArray<readonly Period[]>;
  /** Replaces the week on single days, by days since 1970-01-01. Without periods the store is closed all day. */
  readonly holidays: ReadonlyMap<number, readonly Period[]>;
  /** Values that cannot be read, with paths below the hours; they restrict nothing. */
  readonly unreadable: ReadonlyArray<{
    readonly path: readonly (string | number)[];
    readonly message: string;
  }>;
}

/**
 * Whether the hours name no period and no holiday: then the store is always open. Doubtful data never closes a store,
 * because a menu that is offline is the worse fault, and nobody sees it.
 */
export const isUnrestricted = (hours: Hours): boolean =>
  hours.holidays.size === 0 && periodsIn(hours).length === 0;

/** The periods of the week and of the holidays. */
export const periodsIn = ({ week, holidays }: Hours): readonly Period[] =>
  [...week, ...holidays.values()].flat();

/** The zone of the first period, if all periods have a zone. Undefined if the store's zone is needed to read them. */
export function ownZoneOf(hours: Hours): Zone | undefined {
  const periods = periodsIn(hours);
  return periods.every(({ zone }) => zone !== undefined) ? periods[0]?.zone : undefined;
}

/**
 * Why an instant is outside the hours: `holiday` if its day is in `holidays`,
 * otherwise `hours`. Undefined if it is within the hours.
 *
 * @param local - zone of the periods without a zone.
 */
export function whyClosedAt(
  hours: Hours,
  instant: number,
  local: Zone | undefined,
): 'hours' | 'holiday' | undefined {
  let isHoliday = false;
  for (const zone of zonesOf(hours, local)) {
    const { day, time } = wallTimeAt(instant, zone);
    if (hours.holidays.has(day)) isHoliday = true;
    const includes = (of: number, at: number) =>
      periodsOf(hours, of).some(
        (period) => isIn(period, zone, local) && period.start <= at && at < period.end,
      );
    if (includes(day, time) || includes(day - 1, time + DAY_MS)) return undefined;
  }
  return isHoliday ? 'holiday' : 'hours';
}

/** Instants at which the store may open, from the day before `from`, for a year. */
export function* possibleOpenings(hours: Hours, from: number, local: Zone | undefined): Generator<number> {
  const today = Math.floor(from / DAY_MS);
  const instants: number[] = [];
  for (let day = today - 2; day <= today + MAX_DAYS_AHEAD; day += 1) {
    for (const zone of zonesOf(hours, local)) {
      for (const period of periodsOf(hours, day)) {
        if (isIn(period, zone, local)) instants.push(...instantsOf({ day, time: period.start }, zone));
      }
      // A change of daylight saving time can open the store too: forward past opening time, or back before closing time.
      instants.push(...offsetChangesOn(day, zone));
    }
    instants.sort((one, other) => one - other);
    // No offset is a whole day: in every zone, the later days begin after this instant.
    while ((instants[0] ?? Number.POSITIVE_INFINITY) < day * DAY_MS) yield instants.shift() as number;
  }
}

const periodsOf = (hours: Hours, day: number): readonly Period[] =>
  hours.holidays.get(day) ?? hours.week[((day % 7) + 7) % 7] ?? [];

const isIn = (period: Period, zone: Zone, local: Zone | undefined): boolean =>
  (period.zone ?? local)?.name === zone.name;

/** All zones in which the periods are written; at least the local one. */
function zonesOf(hours: Hours, local: Zone | undefined): Iterable<Zone> {
  const zones = new Map<string, Zone>();
  for (const { zone = local } of periodsIn(hours)) if (zone) zones.set(zone.name, zone);
  if (zones.size === 0 && local) zones.set(local.name, local);
  return zones.values();
}
