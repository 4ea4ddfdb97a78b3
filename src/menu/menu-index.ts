import type { CollectionEntry, CollectionName } from '../schemas/collections.js';
import type { Availability, Merchant } from '../schemas/merchant.js';
import {
  ResolvedCategory,
  ResolvedItem,
  ResolvedMenu,
  ResolvedOffer,
  ResolvedOptionGroup,
  ResolvedService,
} from './resolved.js';

/**
 * The entries of one document by id, each collection made when it is first
 * asked for. Of several entries with one id the first counts.
 */
export class MenuIndex {
  readonly merchant: Merchant;
  #services: ReadonlyMap<string, ResolvedService> | undefined;
  #menus: ReadonlyMap<string, ResolvedMenu> | undefined;
  #categories: ReadonlyMap<string, ResolvedCategory> | undefined;
  #offers: ReadonlyMap<string, ResolvedOffer> | undefined;
  #items: ReadonlyMap<string, ResolvedItem> | undefined;
  #optionGroups: ReadonlyMap<string, ResolvedOptionGroup> | undefined;
  #availabilities: ReadonlyMap<string, Availability> | undefined;
  readonly #all = new Map<string, readonly object[]>();

  constructor(merchant: Merchant) {
    this.merchant = merchant;
  }

  get services(): ReadonlyMap<string, ResolvedService> {
    this.#services ??= this.#indexed('services', (entry) => new ResolvedService(entry, this));
    return this.#services;
  }

  get menus(): ReadonlyMap<string, ResolvedMenu> {
    this.#menus ??= this.#indexed('menus', (entry) => new ResolvedMenu(entry, this));
    return this.#menus;
  }

  get categories(): ReadonlyMap<string, ResolvedCategory> {
    this.#categories ??= this.#indexed('categories', (entry) => new ResolvedCategory(entry, this));
    return this.#categories;
  }

  /** Without those whose item is not in the document: they have no name to be shown. */
  get offers(): ReadonlyMap<string, ResolvedOffer> {
    const { items } = this;
    this.#offers ??= this.#indexed('itemOffers', (entry) => {
      const item = items.get(entry.itemId);
      return item && new ResolvedOffer(entry, item, this);
    });
    return this.#offers;
  }

  get items(): ReadonlyMap<string, ResolvedItem> {
    this.#items ??= this.#indexed('items', (entry) => new ResolvedItem(entry));
    return this.#items;
  }

  get optionGroups(): ReadonlyMap<string, ResolvedOptionGroup> {
    this.#optionGroups ??= this.#indexed('optionGroups', (entry) => new ResolvedOptionGroup(entry, this));
    return this.#optionGroups;
  }

  get availabilities(): ReadonlyMap<string, Availability> {
    this.#availabilities ??= this.#indexed('availabilities', (entry) => entry);
    return this.#availabilities;
  }

  /** What a list of ids stands for, sorted; without a list all there are (the standard). */
  linked<Name extends 'categories' | 'offers' | 'optionGroups'>(
    ids: readonly string[] | undefined,
    name: Name,
  ): readonly Linked[Name][] {
    const by: ReadonlyMap<string, Linked[Name]> = this[name] as never;
    if (ids === undefined) {
      const all = this.#all.get(name) ?? sorted([...by.values()]);
      this.#all.set(name, all);
      return all as readonly Linked[Name][];
    }
    const list = listOf(ids);
    const found: Linked[Name][] = [];
    for (const id of list) {
      const entry = by.get(id);
      // Most lists are of one or two; only a long one is worth a set.
      if (entry && (list.length > FEW || !found.includes(entry))) found.push(entry);
    }
    return sorted(list.length > FEW ? [...new Set(found)] : found);
  }

  #indexed<Name extends CollectionName, Made>(
    name: Name,
    make: (entry: CollectionEntry<Name>) => Made | undefined,
  ): ReadonlyMap<string, Made> {
    const list = listOf(this.merchant[name] as readonly CollectionEntry<Name>[] | undefined);
    const entries = new Map<string, Made>();
    let count = 0;
    for (const entry of list) {
      const made = isEntry(entry) ? make(entry) : undefined;
      if (made === undefined) continue;
      entries.set(entry.id, made);
      count += 1;
    }
    // Seldom an id stands twice, and then the first counts: set again, the last one first.
    if (entries.size < count) {
      for (const entry of [...list].reverse()) {
        const made = isEntry(entry) ? make(entry) : undefined;
        if (made !== undefined) entries.set(entry.id, made);
      }
    }
    return entries;
  }
}

/** So many are faster looked through than put into a set. */
const FEW = 8;

interface Linked {
  categories: ResolvedCategory;
  offers: ResolvedOffer;
  optionGroups: ResolvedOptionGroup;
}

/** The entries of a list that have an id, each id once; the list may be anything in a document nobody has read. */
export function uniqueById<Entry extends { readonly id: string }>(
  list: readonly Entry[] | undefined,
): readonly Entry[] {
  const entries = listOf(list);
  const ids = new Set<string>();
  // Almost every list is as it should be, and then it is its own answer.
  for (const entry of entries) {
    if (!isEntry(entry)) break;
    ids.add(entry.id);
  }
  if (ids.size === entries.length) return entries;
  ids.clear();
  return entries.filter((entry) => {
    if (!isEntry(entry) || ids.has(entry.id)) return false;
    ids.add(entry.id);
    return true;
  });
}

export const isEntry = (entry: unknown): entry is { readonly id: string } =>
  typeof entry === 'object' && entry !== null && typeof (entry as { id?: unknown }).id === 'string';

export const listOf = <Entry>(value: readonly Entry[] | undefined): readonly Entry[] =>
  Array.isArray(value) ? value : [];

/** By `index`, those without one last; equal ones as they stand. */
export function sorted<Entry extends { readonly index?: number | undefined }>(
  entries: Entry[],
): readonly Entry[] {
  let last = Number.NEGATIVE_INFINITY;
  for (const entry of entries) {
    const own = rank(entry);
    if (own < last) return entries.sort((one, other) => rank(one) - rank(other));
    last = own;
  }
  return entries;
}

const rank = ({ index }: { readonly index?: number | undefined }) => index ?? Number.MAX_VALUE;
