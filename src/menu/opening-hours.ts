import { ConfigurationError, type Issue } from '../errors/index.js';
import { isEntry } from '../schemas/collections.js';
import type { Availability } from '../schemas/merchant/availability.js';
import { arrayOf } from './entries.js';
import { type Hours, isUnrestricted, ownZoneOf, possibleOpenings, whyClosedAt } from './hours.js';
import type { MenuIndex } from './menu-index.js';
import { NOT_A_DATE, readDate, readHours } from './read-hours.js';
import type { ResolvedService } from './resolved.js';
import { wallTimeAt, type Zone } from './zone.js';

/** The hours and dates of services and availabilities. Each is read at its first use. */
export class OpeningHours {
  readonly #zone: Zone | undefined;
  readonly #hours = new Map<object, Hours>();

  /** @param zone - the store's; undefined if the application has not named it. */
  constructor(zone: Zone | undefined) {
    this.#zone = zone;
  }

  /** Why a service is closed at an instant; undefined if it is open. */
  whyClosed(service: ResolvedService, at: number): 'hours' | 'holiday' | undefined {
    return this.#whyOutside(this.#hoursOfService(service), at);
  }

  /** Why an instant is outside an availability; undefined if it is inside. */
  whyOutside(availability: Availability, at: number): 'dates' | 'hours' | undefined {
    if (!this.#isWithinDates(availability, at)) return 'dates';
    return this.#whyOutside(this.#hoursOfAvailability(availability), at) && 'hours';
  }

  /** Instants at which a service may open, from the day before `from`. */
  possibleOpenings(service: ResolvedService, from: number): Generator<number> {
    return possibleOpenings(this.#hoursOfService(service), from, this.#zone);
  }

  /** Every value in the hours and dates of a document that cannot be read. */
  *issues({ merchant, availabilities, services }: MenuIndex): Generator<Issue> {
    for (const [index, entry] of arrayOf(merchant.availabilities).entries()) {
      if (!isEntry(entry) || availabilities.get(entry.id) !== entry) continue;
      const path = ['availabilities', index];
      for (const key of ['startDate', 'endDate'] as const) {
        const date: unknown = entry[key];
        if (date === undefined || date === null || readDate(date) !== undefined) continue;
        yield { path: [...path, key], code: 'unreadable', message: NOT_A_DATE, against: 'sense' };
      }
      yield* issuesOf(this.#hoursOfAvailability(entry), path);
    }
    for (const [index, entry] of arrayOf(merchant.services).entries()) {
      const service = isEntry(entry) ? services.get(entry.id) : undefined;
      if (!service || service.source !== entry) continue;
      yield* issuesOf(this.#hoursOfService(service), ['services', index, 'serviceHours']);
    }
  }

  #whyOutside(hours: Hours, at: number): 'hours' | 'holiday' | undefined {
    if (isUnrestricted(hours)) return undefined;
    return whyClosedAt(hours, at, ownZoneOf(hours) ? this.#zone : this.#storeZone());
  }

  #isWithinDates(availability: Availability, at: number): boolean {
    const from = readDate(availability.startDate);
    const to = readDate(availability.endDate);
    if (from === undefined && to === undefined) return true;
    // Dates have no zone. They are read in the store's zone, otherwise in that of the hours of the same entry.
    const zone = this.#zone ?? ownZoneOf(this.#hoursOfAvailability(availability)) ?? this.#storeZone();
    const { day } = wallTimeAt(at, zone);
    return (from === undefined || day >= from) && (to === undefined || day <= to);
  }

  #hoursOfService(service: ResolvedService): Hours {
    return this.#cached(service, () => {
      const { weekHours, holidayHours } = service.serviceHours ?? {};
      return readHours(weekHours, holidayHours, 'weekHours');
    });
  }

  #hoursOfAvailability(availability: Availability): Hours {
    return this.#cached(availability, () => readHours(availability.hours, undefined, 'hours'));
  }

  #cached(key: object, read: () => Hours): Hours {
    const cached = this.#hours.get(key);
    if (cached) return cached;
    const hours = read();
    this.#hours.set(key, hours);
    return hours;
  }

  #storeZone(): Zone {
    if (this.#zone) return this.#zone;
    throw new ConfigurationError(
      'timeZone',
      "is required: hours have no zone; pass one such as 'America/Sao_Paulo'",
    );
  }
}

function* issuesOf(hours: Hours, path: readonly (string | number)[]): Generator<Issue> {
  for (const { path: below, message } of hours.unreadable) {
    yield { path: [...path, ...below], code: 'unreadable', message, against: 'sense' };
  }
}
