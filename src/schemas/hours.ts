import * as z from 'zod';
import { formatted, openEnum, wireObject, withHints } from './wire.js';

const DAYS_OF_WEEK = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const;

export const timePeriodSchema = wireObject({ startTime: formatted('time'), endTime: formatted('time') });

/** A period that cannot be read closes no day. */
const ALL_DAY = { startTime: '00:00:00', endTime: '23:59:59' };

/** An entry whose days cannot be read closes no day: it is about those that no other entry names. */
const UNKNOWN_DAY = ['UNKNOWN'];

/** Several periods of one day are several entries. */
export const weekHoursSchema = withHints(
  z.array(
    wireObject({
      dayOfWeek: z.array(openEnum(DAYS_OF_WEEK)).default(UNKNOWN_DAY),
      timePeriods: timePeriodSchema.default(ALL_DAY),
    }),
  ),
  { spreadKey: 'timePeriods' },
);

/** A day of the week, in English and upper case (Spec §2.10). */
export type DayOfWeek =
  | 'MONDAY'
  | 'TUESDAY'
  | 'WEDNESDAY'
  | 'THURSDAY'
  | 'FRIDAY'
  | 'SATURDAY'
  | 'SUNDAY'
  | (string & {});

/**
 * A period of a day.
 *
 * The times are strings as the hub sent them: `HH:mm:ss` by the spec, and often `HH:mm:ss.SSSZ` in real documents.
 * A time with `Z` is UTC and one with an offset is in that offset; otherwise it is the store's local time.
 *
 * @see Spec §2.4, §2.10
 */
export type TimePeriod = {
  /** When the period begins. Always present (Spec §2.4). */
  readonly startTime: string;
  /**
   * When the period ends; 23:59 and 23:59:59 mean the end of the day. If it is not later than `startTime`, the period
   * ends on the next day. Always present, as `startTime` (Spec §2.4).
   */
  readonly endTime: string;
};

/**
 * A period that is the same on some days of the week. A day with two periods is in two of these (Spec §2.4, §2.10).
 */
export type WeekHours = {
  /**
   * The days on which the period begins (Spec §2.4). Always present: UNKNOWN if the hub's cannot be read, which are then the
   * days that no other entry names.
   */
  readonly dayOfWeek: readonly DayOfWeek[];
  /**
   * The period; one object, although its name is a plural (Spec §2.4). Always present: the whole day if the hub's cannot
   * be read.
   */
  readonly timePeriods: TimePeriod;
};
