import { type WeekHours, weekHoursSchema } from '../hours.js';
import { bySpec, formatted, id, wireObject } from '../wire.js';

/** Spec §2.10. The standard names no format for the dates. */
export const availabilitySchema = wireObject({
  id: id(),
  startDate: bySpec(formatted('date')).optional(),
  endDate: bySpec(formatted('date')).optional(),
  hours: weekHoursSchema.default([]),
});

/** When a category or an offer can be ordered. Both refer to it by id (Spec §2.10). */
export type Availability = {
  /** The id of the availability (Spec §2.10). Always present: an availability without it is left out. */
  readonly id: string;
  /** The first day, `YYYY-MM-DD` (Spec §2.10). Absent: it has already begun. */
  readonly startDate?: string | undefined;
  /** The last day, `YYYY-MM-DD` (Spec §2.10). Absent: it does not end. */
  readonly endDate?: string | undefined;
  /** The hours of each week. Required by Spec §2.10. Always present: empty if the hub leaves it out. */
  readonly hours: readonly WeekHours[];
};
