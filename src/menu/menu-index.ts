import { ConfigurationError } from '../errors/index.js';
import type { Availability } from '../schemas/merchant/availability.js';
import type { Item } from '../schemas/merchant/item.js';
import type { Category, ItemOffer, MenuEntry } from '../schemas/merchant/menu.js';
import type { OptionGroup } from '../schemas/merchant/option-group.js';
import type { Service } from '../schemas/merchant/service.js';
import type { Merchant } from '../schemas/merchant.js';
import { Collection } from './collection.js';
import { truncated } from './entries.js';
import {
  type EntryKind,
  ResolvedCategory,
  type ResolvedEntry,
  ResolvedItem,
  ResolvedMenu,
  ResolvedOffer,
  type ResolvedOption,
  ResolvedOptionGroup,
  ResolvedService,
} from './resolved.js';

/** The collection of each kind of entry. Options are nested in groups. */
const COLLECTION_OF = {
  service: 'services',
  menu: 'menus',
  category: 'categories',
  offer: 'offers',
  item: 'items',
  optionGroup: 'optionGroups',
} as const satisfies Record<Exclude<EntryKind, 'option'>, keyof MenuIndex>;

const NAMES = Object.values(COLLECTION_OF);

const collectionOf = (kind: unknown) =>
  Object.hasOwn(COLLECTION_OF, kind as string)
    ? COLLECTION_OF[kind as keyof typeof COLLECTION_OF]
    : undefined;

/** The entries of one document by id. Each collection is indexed at its first use. */
export class MenuIndex {
  readonly merchant: Merchant;
  readonly services: Collection<Service, ResolvedService>;
  readonly menus: Collection<MenuEntry, ResolvedMenu>;
  readonly categories: Collection<Category, ResolvedCategory>;
  /** Without offers whose item is not in the document: they have no name to show. */
  readonly offers: Collection<ItemOffer, ResolvedOffer>;
  readonly items: Collection<Item, ResolvedItem>;
  readonly optionGroups: Collection<OptionGroup, ResolvedOptionGroup>;
  readonly availabilities: Collection<Availability, Availability>;
  /** By id, by itself and by its source. */
  #options: ReadonlyMap<unknown, ResolvedOption> | undefined;

  constructor(merchant: Merchant) {
    this.merchant = merchant;
    this.services = new Collection(merchant, 'services', (entry) => new ResolvedService(entry, this));
    this.menus = new Collection(merchant, 'menus', (entry) => new ResolvedMenu(entry, this));
    this.categories = new Collection(merchant, 'categories', (entry) => new ResolvedCategory(entry, this));
    this.offers = new Collection(merchant, 'itemOffers', (entry) => {
      const item = this.items.get(entry.itemId);
      return item && new ResolvedOffer(entry, item, this);
    });
    this.items = new Collection(merchant, 'items', (entry) => new ResolvedItem(entry));
    this.optionGroups = new Collection(
      merchant,
      'optionGroups',
      (entry) => new ResolvedOptionGroup(entry, this),
    );
    this.availabilities = new Collection(merchant, 'availabilities', (entry) => entry);
  }

  /** The entry of a kind and an id. Of several options with one id, the first in the order of the groups. */
  find(kind: EntryKind, id: string): ResolvedEntry | undefined {
    if (kind === 'option') return this.#option(id);
    const name = collectionOf(kind);
    if (name) return this[name].get(id);
    throw new ConfigurationError('kind', `'${truncated(kind)}' is not a kind of entry; see EntryKind`);
  }

  /** The resolved entry for an entry of this menu, or of its document; undefined for any other object. */
  resolve(entry: object): ResolvedEntry | undefined {
    const { kind, id } = (entry ?? {}) as Partial<ResolvedEntry>;
    if (id === undefined) return undefined;
    const name = collectionOf(kind);
    const own = (name && this[name].resolvedOf(entry)) ?? this.#search(entry);
    return own ?? (kind ? this.find(kind, id) : undefined);
  }

  /** Searches everywhere, because an entry of a document does not say of what kind it is. */
  #search(entry: { readonly id?: unknown }): ResolvedEntry | undefined {
    for (const name of NAMES) {
      const found = this[name].resolvedOf(entry);
      if (found) return found;
    }
    return this.#option(entry);
  }

  /** Several options may have one id: it finds the first of them, and an object finds itself. */
  #option(key: unknown): ResolvedOption | undefined {
    this.#options ??= this.#optionsByKey();
    return this.#options.get(key);
  }

  #optionsByKey(): ReadonlyMap<unknown, ResolvedOption> {
    const byKey = new Map<unknown, ResolvedOption>();
    for (const { options } of this.optionGroups.values()) {
      for (const option of options) {
        byKey.set(option, option).set(option.source, option);
        if (!byKey.has(option.id)) byKey.set(option.id, option);
      }
    }
    return byKey;
  }
}
