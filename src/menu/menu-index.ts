import { ConfigurationError } from '../errors.js';
import type { CollectionEntry, CollectionName } from '../schemas/collections.js';
import type { Availability } from '../schemas/merchant/availability.js';
import type { Merchant } from '../schemas/merchant.js';
import { arrayOf, isEntry, sortByIndex } from './entries.js';
import {
  type EntryKind,
  type EntryLookup,
  type LinkedCollections,
  ResolvedCategory,
  type ResolvedEntry,
  ResolvedItem,
  ResolvedMenu,
  ResolvedOffer,
  ResolvedOptionGroup,
  ResolvedService,
} from './resolved.js';
import { truncated } from './truncated.js';

/**
 * The entries of one document by id. Each collection is indexed at its first
 * use. Of several entries with one id, the first is used.
 */
export class MenuIndex implements EntryLookup {
  readonly merchant: Merchant;
  #services: ReadonlyMap<string, ResolvedService> | undefined;
  #menus: ReadonlyMap<string, ResolvedMenu> | undefined;
  #categories: ReadonlyMap<string, ResolvedCategory> | undefined;
  #offers: ReadonlyMap<string, ResolvedOffer> | undefined;
  #items: ReadonlyMap<string, ResolvedItem> | undefined;
  #optionGroups: ReadonlyMap<string, ResolvedOptionGroup> | undefined;
  #availabilities: ReadonlyMap<string, Availability> | undefined;
  #byIdentity: ReadonlyMap<object, ResolvedEntry> | undefined;
  /** All entries of a collection, sorted: shared by every entry that names no ids. */
  readonly #sorted = new Map<string, readonly object[]>();

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

  /** Without offers whose item is not in the document: they have no name to show. */
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

  /** The entry of a kind and an id. Of several options with one id, the first in the order of the groups. */
  find(kind: EntryKind, id: string): ResolvedEntry | undefined {
    switch (kind) {
      case 'service':
        return this.services.get(id);
      case 'menu':
        return this.menus.get(id);
      case 'category':
        return this.categories.get(id);
      case 'offer':
        return this.offers.get(id);
      case 'item':
        return this.items.get(id);
      case 'optionGroup':
        return this.optionGroups.get(id);
      case 'option':
        for (const { options } of this.optionGroups.values()) {
          const option = options.find((each) => each.id === id);
          if (option) return option;
        }
        return undefined;
      default:
        throw new ConfigurationError('kind', `'${truncated(kind)}' is not a kind of entry; see EntryKind`);
    }
  }

  /** The resolved entry for an entry of this menu, or of its document; undefined for any other object. */
  resolve(entry: object): ResolvedEntry | undefined {
    this.#byIdentity ??= this.#identities();
    const { kind, id } = (entry ?? {}) as Partial<ResolvedEntry>;
    return this.#byIdentity.get(entry) ?? (kind && id !== undefined ? this.find(kind, id) : undefined);
  }

  #identities(): ReadonlyMap<object, ResolvedEntry> {
    const entries = new Map<object, ResolvedEntry>();
    const { services, menus, categories, offers, items, optionGroups } = this;
    for (const collection of [services, menus, categories, offers, items, optionGroups]) {
      for (const entry of collection.values()) entries.set(entry, entry).set(entry.source, entry);
    }
    for (const { options } of optionGroups.values()) {
      for (const option of options) entries.set(option, option).set(option.source, option);
    }
    return entries;
  }

  /** The entries that `ids` names, each once, sorted; without `ids` all entries of the collection (the standard). */
  linked<Name extends keyof LinkedCollections>(
    ids: readonly string[] | undefined,
    name: Name,
  ): readonly LinkedCollections[Name][] {
    const byId: ReadonlyMap<string, LinkedCollections[Name]> = this[name] as never;
    if (ids === undefined) {
      const all = this.#sorted.get(name) ?? sortByIndex([...byId.values()]);
      this.#sorted.set(name, all);
      return all as readonly LinkedCollections[Name][];
    }
    const array = arrayOf(ids);
    const found: LinkedCollections[Name][] = [];
    for (const id of array) {
      const entry = byId.get(id);
      if (entry && (array.length > MAX_SCANNED || !found.includes(entry))) found.push(entry);
    }
    return sortByIndex(array.length > MAX_SCANNED ? [...new Set(found)] : found);
  }

  #indexed<Name extends CollectionName, Resolved>(
    name: Name,
    resolve: (entry: CollectionEntry<Name>) => Resolved | undefined,
  ): ReadonlyMap<string, Resolved> {
    const array = arrayOf(this.merchant[name] as readonly CollectionEntry<Name>[] | undefined);
    const byId = new Map<string, Resolved>();
    let count = 0;
    for (const entry of array) {
      const resolved = isEntry(entry) ? resolve(entry) : undefined;
      if (resolved === undefined) continue;
      byId.set(entry.id, resolved);
      count += 1;
    }
    // Duplicate ids are rare. Then fill the map again from the end, so that the first entry is the one that stays.
    if (byId.size < count) {
      for (const entry of [...array].reverse()) {
        const resolved = isEntry(entry) ? resolve(entry) : undefined;
        if (resolved !== undefined) byId.set(entry.id, resolved);
      }
    }
    return byId;
  }
}

/** Arrays of up to this many ids are checked for duplicates by a scan, which is faster than a set. */
const MAX_SCANNED = 8;
