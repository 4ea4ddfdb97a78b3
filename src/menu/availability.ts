import { ConfigurationError, type Issue } from '../errors.js';
import type { Availability } from '../schemas/merchant.js';
import { arrayOf, isEntry } from './entries.js';
import { answerAt, beginnings, type Hours, readDate, readHours, saysWhen, zoneOf } from './hours.js';
import type { MenuIndex } from './menu-index.js';
import type {
  EntryKind,
  ResolvedCategory,
  ResolvedEntry,
  ResolvedOffer,
  ResolvedService,
} from './resolved.js';
import { readingAt, type Zone } from './zone.js';

/** The longest look ahead for an opening, in days. */
const AHEAD_DAYS = 370;

/**
 * Why an entry cannot be had.
 *
 * - `status`: it is UNAVAILABLE, an unplanned closure of unknown end.
 * - `dates`: outside the dates of all its availabilities.
 * - `hours`, `holiday`: outside its hours; on a day that has hours of its own.
 * - `options`: a group asks for more than its options give.
 * - `parent`: what it belongs to cannot be had; `because` says why.
 */
export type Unavailability =
  | {
      readonly reason: 'status' | 'dates' | 'hours' | 'holiday' | 'options';
      readonly kind: EntryKind | 'merchant';
      readonly id: string;
    }
  | {
      readonly reason: 'parent';
      readonly kind: EntryKind;
      readonly id: string;
      readonly because: Unavailability;
    };

/** When the entries of one document can be had. */
export class AvailabilityCalendar {
  readonly #index: MenuIndex;
  readonly #zone: Zone | undefined;
  readonly #hours = new Map<object, Hours>();
  #parents: Map<object | 'category' | 'offer', ResolvedEntry[]> | undefined;

  constructor(index: MenuIndex, zone: Zone | undefined) {
    this.#index = index;
    this.#zone = zone;
  }

  /** Why an entry cannot be had; without an instant, statuses alone are asked. */
  why(entry: ResolvedEntry, at: number | undefined): Unavailability | undefined {
    const { kind, id } = entry;
    const { merchant } = this.#index;
    if (merchant.status === 'UNAVAILABLE') {
      return parent(entry, { reason: 'status', kind: 'merchant', id: merchant.id ?? '' });
    }
    if ('status' in entry && entry.status === 'UNAVAILABLE') return { reason: 'status', kind, id };
    switch (kind) {
      case 'service': {
        const reason = at === undefined ? undefined : this.#serviceAt(entry, at);
        return reason && { reason, kind, id };
      }
      case 'menu':
        return this.#whyParents(entry, at);
      case 'category':
        return this.#whyTimes(entry, at) ?? this.#whyParents(entry, at);
      case 'offer':
        return this.#whyPart(entry, at) ?? this.#whyTimes(entry, at) ?? this.#whyParents(entry, at);
      case 'optionGroup':
        return entry.isUnsatisfiable ? { reason: 'options', kind, id } : undefined;
      case 'option': {
        const because = entry.item && this.why(entry.item, at);
        return because && parent(entry, because);
      }
      case 'item':
        return undefined;
    }
  }

  /** The next instant, `from` included, at which a service is open; undefined where there is none within a year. */
  opensAt(service: ResolvedService, from: number): number | undefined {
    if (!this.why(service, from)) return from;
    if (this.why(service, undefined)) return undefined;
    for (const instant of beginnings(this.#serviceHours(service), from, AHEAD_DAYS, this.#zone)) {
      if (instant > from && !this.why(service, instant)) return instant;
    }
    return undefined;
  }

  /** What in the hours of services and availabilities cannot be read. */
  *issues(): Generator<Issue> {
    const { merchant, availabilities, services } = this.#index;
    for (const [at, raw] of arrayOf(merchant.availabilities).entries()) {
      if (isEntry(raw) && availabilities.get(raw.id) === raw) {
        for (const key of ['startDate', 'endDate'] as const) {
          const date: unknown = raw[key];
          if (date === undefined || date === null || readDate(date) !== undefined) continue;
          yield { path: ['availabilities', at, key], code: 'unreadable', message: 'this is no date' };
        }
        yield* unreadable(this.#availabilityHours(raw), ['availabilities', at]);
      }
    }
    for (const [at, raw] of arrayOf(merchant.services).entries()) {
      const service = isEntry(raw) ? services.get(raw.id) : undefined;
      if (service?.source === raw && service) {
        yield* unreadable(this.#serviceHours(service), ['services', at, 'serviceHours']);
      }
    }
  }

  #serviceAt(service: ResolvedService, at: number): 'hours' | 'holiday' | undefined {
    const answer = this.#within(this.#serviceHours(service), at);
    return answer === 'open' ? undefined : answer;
  }

  /** An item that cannot be had, or a group that cannot be chosen from, takes the offer with it. */
  #whyPart(offer: ResolvedOffer, at: number | undefined): Unavailability | undefined {
    const because = this.why(offer.item, at);
    if (because) return parent(offer, because);
    const group = offer.optionGroups.find(
      (each) => (each.minPermitted ?? 0) > 0 && (each.status === 'UNAVAILABLE' || each.isUnsatisfiable),
    );
    return group && parent(offer, { reason: 'options', kind: 'optionGroup', id: group.id });
  }

  /** Dates and hours of the entry's own; one of several availabilities is enough. */
  #whyTimes(entry: ResolvedCategory | ResolvedOffer, at: number | undefined): Unavailability | undefined {
    if (at === undefined || !entry.availabilityId) return undefined;
    let reason: 'dates' | 'hours' | undefined;
    for (const id of arrayOf(entry.availabilityId)) {
      const availability = this.#index.availabilities.get(id);
      // A dangling one is an issue of the menu, and no reason to take an offer off it.
      if (!availability) continue;
      if (!this.#isWithinDates(availability, at)) reason ??= 'dates';
      else if (this.#within(this.#availabilityHours(availability), at) === 'open') return undefined;
      else reason = 'hours';
    }
    return reason && { reason, kind: entry.kind, id: entry.id };
  }

  /** One parent that can be had is enough; an entry that nothing names depends on itself alone. */
  #whyParents(entry: ResolvedEntry, at: number | undefined): Unavailability | undefined {
    let first: Unavailability | undefined;
    for (const above of this.#parentsOf(entry)) {
      const because = this.why(above, at);
      if (!because) return undefined;
      first ??= because;
    }
    return first && parent(entry, first);
  }

  #parentsOf(entry: ResolvedEntry): readonly ResolvedEntry[] {
    if (!this.#parents) {
      this.#parents = new Map();
      const { services, menus, categories } = this.#index;
      for (const service of services.values()) if (service.menu) this.#adopt(service.menu, service);
      for (const menu of menus.values()) {
        if (menu.categoryId === undefined) this.#adopt('category', menu);
        else for (const category of menu.categories) this.#adopt(category, menu);
      }
      for (const category of categories.values()) {
        if (category.itemOfferId === undefined) this.#adopt('offer', category);
        else for (const offer of category.offers) this.#adopt(offer, category);
      }
    }
    const named = this.#parents.get(entry) ?? [];
    const ofAll = (entry.kind === 'category' || entry.kind === 'offer') && this.#parents.get(entry.kind);
    return ofAll ? [...named, ...ofAll] : named;
  }

  /** @param child - a kind, where it is the parent of all of it: a list for each would multiply the two. */
  #adopt(child: ResolvedEntry | 'category' | 'offer', above: ResolvedEntry): void {
    const known = this.#parents?.get(child);
    if (known) known.push(above);
    else this.#parents?.set(child, [above]);
  }

  #isWithinDates(availability: Availability, at: number): boolean {
    const from = readDate(availability.startDate);
    const to = readDate(availability.endDate);
    if (from === undefined && to === undefined) return true;
    // Dates carry no zone: the store's, or else that of the hours beside them.
    const zone = this.#zone ?? zoneOf(this.#availabilityHours(availability)) ?? this.#localZone();
    const { day } = readingAt(at, zone);
    return (from === undefined || day >= from) && (to === undefined || day <= to);
  }

  #within(hours: Hours, at: number): 'open' | 'hours' | 'holiday' {
    if (!saysWhen(hours)) return 'open';
    return answerAt(hours, at, zoneOf(hours) ? this.#zone : this.#localZone());
  }

  #serviceHours(service: ResolvedService): Hours {
    return this.#read(service, () => {
      const { weekHours, holidayHours } = service.serviceHours ?? {};
      return readHours(weekHours, holidayHours, 'weekHours');
    });
  }

  #availabilityHours(availability: Availability): Hours {
    return this.#read(availability, () => readHours(availability.hours, undefined, 'hours'));
  }

  #read(key: object, read: () => Hours): Hours {
    const known = this.#hours.get(key);
    if (known) return known;
    const hours = read();
    this.#hours.set(key, hours);
    return hours;
  }

  #localZone(): Zone {
    if (this.#zone) return this.#zone;
    throw new ConfigurationError(
      'timeZone',
      "is needed: the menu's hours carry no zone. Pass the store's, as in new Menu(merchant, { timeZone: 'America/Sao_Paulo' })",
    );
  }
}

function parent({ kind, id }: ResolvedEntry, because: Unavailability): Unavailability {
  return { reason: 'parent', kind, id, because };
}

function* unreadable(hours: Hours, path: readonly (string | number)[]): Generator<Issue> {
  for (const { path: below, message } of hours.unreadable) {
    yield { path: [...path, ...below], code: 'unreadable', message };
  }
}
