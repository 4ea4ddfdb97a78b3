import * as z from 'zod';
import {
  type AvailabilityStatus,
  type OrderPriority,
  type OrderTiming,
  PRIORITIES,
  SERVICE_TYPES,
  type ServiceType,
  statusSchema,
  TIMINGS,
} from '../common.js';
import { type TimePeriod, timePeriodSchema, type WeekHours, weekHoursSchema } from '../hours.js';
import { bySpec, decisive, expected, formatted, id, openEnum, wireObject, withHints } from '../wire.js';
import { type ServiceArea, serviceAreaSchema } from './service-area.js';

/** A holiday without periods is closed all day, and one whose periods cannot be read must not be. */
const holidayHoursSchema = wireObject({
  date: formatted('date'),
  timePeriods: decisive(timePeriodSchema.optional()),
});

/** @see Spec §2.4 */
export const serviceHoursSchema = wireObject({
  id: expected(id({ format: 'uuid' })),
  weekHours: weekHoursSchema.default([]),
  holidayHours: bySpec(
    withHints(z.array(holidayHoursSchema), { spreadKey: 'timePeriods', keepsEmpty: true }).default([]),
  ),
});

const scheduleWindowsSchema = wireObject({
  scheduleTimeWindow: expected(formatted('window')),
  scheduleStartWindow: expected(formatted('window')),
  scheduleEndWindow: expected(formatted('window')),
});

const serviceTimingSchema = wireObject({
  timing: bySpec(z.array(openEnum(TIMINGS, { spellings: {} })).default(['INSTANT'])),
  schedule: scheduleWindowsSchema.optional(),
});

/** @see Spec §2.4 */
export const serviceSchema = wireObject({
  id: id(),
  status: statusSchema,
  serviceType: expected(openEnum(SERVICE_TYPES, { spellings: {} })),
  serviceTiming: serviceTimingSchema.optional(),
  servicePriority: z.array(openEnum(PRIORITIES)).optional(),
  menuId: expected(id()),
  targetAppId: id().optional(),
  serviceArea: serviceAreaSchema.optional(),
  serviceHours: expected(serviceHoursSchema),
});

/** The hours of one date that replace the hours of its day of the week (standard v1.7.1). */
export type HolidayHours = {
  /** The date, `YYYY-MM-DD` (standard v1.7.1). Always present: an entry without it is left out. */
  readonly date: string;
  /** The period in which orders are accepted (standard v1.7.1). Absent: the store is closed on that date. */
  readonly timePeriods?: TimePeriod | undefined;
};

/** When a service accepts orders (Spec §2.4). */
export type ServiceHours = {
  /** The id of these hours, a UUID. Required by Spec §2.4; absence is an issue. */
  readonly id?: string | undefined;
  /** The hours of a normal week (Spec §2.4). Always present: empty if the hub leaves it out. */
  readonly weekHours: readonly WeekHours[];
  /** Dates with other hours (Spec §2.4). Always present: empty if the hub leaves it out. */
  readonly holidayHours: readonly HolidayHours[];
};

/**
 * The times for which customers can schedule an order. Each value is a number of minutes, as in `15_MINUTES` (Spec
 * §2.4).
 */
export type ScheduleWindows = {
  /** The step between two times that can be chosen. Required by the standard; absence is an issue. */
  readonly scheduleTimeWindow?: string | undefined;
  /** From opening to the first time that can be chosen. Required by the standard; absence is an issue. */
  readonly scheduleStartWindow?: string | undefined;
  /** From the last time that can be chosen to closing. Required by the standard; absence is an issue. */
  readonly scheduleEndWindow?: string | undefined;
};

/** Which timings of an order a service accepts (Spec §2.4). */
export type ServiceTiming = {
  /** The accepted timings (Spec §2.4). Always present: `['INSTANT']` if the hub leaves it out. */
  readonly timing: readonly OrderTiming[];
  /** The times for which orders can be scheduled (Spec §2.4). Absent: the hub does not restrict them. */
  readonly schedule?: ScheduleWindows | undefined;
};

/** One way to order from the store, and the menu that it sells (Spec §2.4). */
export type Service = {
  /** The id of the service (Spec §2.4). Always present: a service without it is left out. */
  readonly id: string;
  /** UNAVAILABLE: the service has stopped for an unknown time (Spec §2.4). Always present: AVAILABLE by default. */
  readonly status: AvailabilityStatus;
  /** How the customer gets the order. Required by Spec §2.4; absence is an issue. */
  readonly serviceType?: ServiceType | undefined;
  /** Which timings the service accepts (Spec §2.4). Absent: only INSTANT. */
  readonly serviceTiming?: ServiceTiming | undefined;
  /** The priorities that the store can handle (Spec §2.4). Absent: the store does not say. */
  readonly servicePriority?: readonly OrderPriority[] | undefined;
  /** The id of an entry of `menus`. Required by Spec §2.4; absence is an issue. */
  readonly menuId?: string | undefined;
  /** The id of the only application for which this service is meant (Spec §2.4). Absent: every application. */
  readonly targetAppId?: string | undefined;
  /** Where a DELIVERY service delivers (Spec §2.4). Absent: the hub does not say. */
  readonly serviceArea?: ServiceArea | undefined;
  /** When the service accepts orders. Required by Spec §2.4; absence is an issue. */
  readonly serviceHours?: ServiceHours | undefined;
};
