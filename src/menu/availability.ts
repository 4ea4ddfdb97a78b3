import type { Issue } from '../errors/index.js';
import { isUnavailable } from './entries.js';
import type { MenuIndex } from './menu-index.js';
import { OpeningHours } from './opening-hours.js';
import type { EntryKind, ResolvedEntry, ResolvedOffer, ResolvedService } from './resolved.js';
import type { Zone } from './zone.js';

/**
 * Why an entry is not available.
 *
 * - `status`: its status is UNAVAILABLE, an unplanned closure without a known end.
 * - `dates`: the instant is outside the dates of all its availabilities.
 * - `hours`: the instant is outside its hours.
 * - `holiday`: the day has holiday hours, and the instant is outside them.
 * - `options`: a group requires more options than are available.
 * - `parent`: an entry that it depends on is not available; `because` says why.
 */
export type Unavailability =
  | {
      /** Why the entry is not available. */
      readonly reason: 'status' | 'dates' | 'hours' | 'holiday' | 'options';
      /** The kind of the entry that is not available. */
      readonly kind: EntryKind | 'merchant';
      /** The id of that entry. */
      readonly id: string;
    }
  | {
      /** An entry that it depends on is not available. */
      readonly reason: 'parent';
      /** The kind of the entry that is not available. */
      readonly kind: EntryKind;
      /** The id of that entry. */
      readonly id: string;
      /** Why the entry that it depends on is not available. */
      readonly because: Unavailability;
    };

export class AvailabilityCalendar {
  readonly index: MenuIndex;
  readonly #hours: OpeningHours;
  /** The parents of single entries, and those of all entries of a kind. */
  #parents: readonly Parents[] | undefined;

  /** @param zone - the store's; undefined if the application has not named it. */
  constructor(index: MenuIndex, zone: Zone | undefined) {
    this.index = index;
    this.#hours = new OpeningHours(zone);
  }

  /** Why an entry is not available. Without an instant only statuses are checked. */
  whyUnavailable(entry: ResolvedEntry, at: number | undefined): Unavailability | undefined {
    const { kind, id } = entry;
    const { merchant } = this.index;
    if (isUnavailable(merchant)) {
      return dependent(entry, { reason: 'status', kind: 'merchant', id: merchant.id ?? '' });
    }
    if (isUnavailable(entry as { readonly status?: unknown })) return { reason: 'status', kind, id };
    switch (kind) {
      case 'service':
        return at === undefined ? undefined : this.whyClosed(entry, at);
      case 'menu':
      case 'category':
      case 'offer': {
        const ofParents = (parent: ResolvedEntry) => this.whyUnavailable(parent, at);
        const ofParts = kind === 'offer' ? this.#whyParts(entry, at) : undefined;
        return ofParts ?? this.#whyOutside(entry, at) ?? this.#whyParents(entry, ofParents);
      }
      case 'optionGroup':
        return entry.isUnsatisfiable ? { reason: 'options', kind, id } : undefined;
      case 'option': {
        const because =
          (entry.item && this.whyUnavailable(entry.item, at)) ?? this.whyUnavailable(entry.group, at);
        return because && dependent(entry, because);
      }
      case 'item':
        return undefined;
    }
  }

  /** Why an entry would not be available if all statuses were AVAILABLE: hours and dates alone. */
  whyClosed(entry: ResolvedEntry, at: number): Unavailability | undefined {
    const { kind, id } = entry;
    if (kind === 'service') {
      const reason = this.#hours.whyClosed(entry, at);
      return reason && { reason, kind, id };
    }
    return this.#whyOutside(entry, at) ?? this.#whyParents(entry, (parent) => this.whyClosed(parent, at));
  }

  /** The first instant from `from` at which a service is open; undefined if all services are closed for a year. */
  opensAt(service: ResolvedService, from: number): number | undefined {
    if (!this.whyUnavailable(service, from)) return from;
    if (this.whyUnavailable(service, undefined)) return undefined;
    for (const instant of this.#hours.possibleOpenings(service, from)) {
      if (instant > from && !this.whyUnavailable(service, instant)) return instant;
    }
    return undefined;
  }

  /** Every value in the hours and dates of the document that cannot be read. */
  issues(): Generator<Issue> {
    return this.#hours.issues(this.index);
  }

  /** An offer depends on its item, and on the groups from which something must be chosen. */
  #whyParts(offer: ResolvedOffer, at: number | undefined): Unavailability | undefined {
    const because = this.whyUnavailable(offer.item, at);
    if (because) return dependent(offer, because);
    const group = offer.optionGroups.find(
      (each) => (each.minPermitted ?? 0) > 0 && (isUnavailable(each) || each.isUnsatisfiable),
    );
    return group && dependent(offer, { reason: 'options', kind: 'optionGroup', id: group.id });
  }

  /** The entry's own dates and hours. One of several availabilities is enough. */
  #whyOutside(entry: ResolvedEntry, at: number | undefined): Unavailability | undefined {
    if (at === undefined || !('availabilityId' in entry) || !entry.availabilityId) return undefined;
    let reason: 'dates' | 'hours' | undefined;
    for (const id of entry.availabilityId) {
      const availability = this.index.availabilities.get(id);
      // A dangling id is an issue of the menu, but it does not make the entry unavailable.
      if (!availability) continue;
      const outside = this.#hours.whyOutside(availability, at);
      if (!outside) return undefined;
      reason = outside === 'hours' ? 'hours' : (reason ?? 'dates');
    }
    return reason && { reason, kind: entry.kind, id: entry.id };
  }

  /** One available parent is enough. An entry without parents does not depend on any. */
  #whyParents(
    entry: ResolvedEntry,
    whyOf: (parent: ResolvedEntry) => Unavailability | undefined,
  ): Unavailability | undefined {
    let first: Unavailability | undefined;
    for (const parent of this.#parentsOf(entry)) {
      const because = whyOf(parent);
      if (!because) return undefined;
      first ??= because;
    }
    return first && dependent(entry, first);
  }

  #parentsOf(entry: ResolvedEntry): readonly ResolvedEntry[] {
    // An entry that no customer reaches opens nothing.
    this.#parents ??= [parentsIn(this.index, true), parentsIn(this.index, false)];
    for (const parents of this.#parents) {
      const own = parents.get(entry) ?? [];
      const ofKind = (entry.kind === 'category' || entry.kind === 'offer') && parents.get(entry.kind);
      const all = ofKind ? [...own, ...ofKind] : own;
      if (all.length > 0) return all;
    }
    return [];
  }
}

type Parents = Map<ResolvedEntry | 'category' | 'offer', ResolvedEntry[]>;

/**
 * The entries that name each entry. Those that name no ids contain all entries of the kind (the standard).
 *
 * @param mustBeReached - whether an entry that no service reaches is left out.
 */
function parentsIn(index: MenuIndex, mustBeReached: boolean): Parents {
  const parents: Parents = new Map();
  // Parents come after their own ones.
  const isReached = (entry: ResolvedEntry) =>
    entry.kind === 'service' || parents.has(entry) || parents.has(entry.kind as 'category');
  const add = (child: ResolvedEntry | 'category' | 'offer', parent: ResolvedEntry) => {
    if (mustBeReached && !isReached(parent)) return;
    const known = parents.get(child);
    if (known) known.push(parent);
    else parents.set(child, [parent]);
  };
  for (const service of index.services.values()) if (service.menu) add(service.menu, service);
  for (const menu of index.menus.values()) {
    // Listing such a menu under every category would cost menus × categories.
    if (menu.categoryId === undefined) add('category', menu);
    else for (const category of menu.categories) add(category, menu);
  }
  for (const category of index.categories.values()) {
    if (category.itemOfferId === undefined) add('offer', category);
    else for (const offer of category.offers) add(offer, category);
  }
  return parents;
}

function dependent({ kind, id }: ResolvedEntry, because: Unavailability): Unavailability {
  return { reason: 'parent', kind, id, because };
}
