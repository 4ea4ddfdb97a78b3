import { uniqueById } from '../schemas/collections.js';
import type { Item, ItemImage } from '../schemas/merchant/item.js';
import type { Category, ItemOffer, MenuEntry } from '../schemas/merchant/menu.js';
import type { Option, OptionGroup } from '../schemas/merchant/option-group.js';
import type { Service } from '../schemas/merchant/service.js';
import { arrayOf, isUnavailable, sortByIndex } from './entries.js';
import {
  CATEGORY_FIELDS,
  ITEM_FIELDS,
  MENU_FIELDS,
  OFFER_FIELDS,
  OPTION_FIELDS,
  OPTION_GROUP_FIELDS,
  SERVICE_FIELDS,
} from './fields.js';
import type { MenuIndex } from './menu-index.js';
import { wireEntry } from './wire-entry.js';

/** A sales channel (delivery, takeout or indoor) and its menu (Spec §2.4). */
export class ResolvedService extends wireEntry<Service, 'service'>('service', SERVICE_FIELDS) {
  override readonly source: Service;
  readonly #index: MenuIndex;

  /** @internal */
  constructor(source: Service, index: MenuIndex) {
    super();
    this.source = source;
    this.#index = index;
  }

  /** Undefined if the service names no menu, or one that the document does not have. */
  get menu(): ResolvedMenu | undefined {
    return this.menuId === undefined ? undefined : this.#index.menus.get(this.menuId);
  }
}

/** A menu: an array of categories (Spec §2.5). */
export class ResolvedMenu extends wireEntry<MenuEntry, 'menu'>('menu', MENU_FIELDS) {
  override readonly source: MenuEntry;
  readonly #index: MenuIndex;
  #categories: readonly ResolvedCategory[] | undefined;

  /** @internal */
  constructor(source: MenuEntry, index: MenuIndex) {
    super();
    this.source = source;
    this.#index = index;
  }

  /** Sorted by `index`; all categories of the document if the menu has no `categoryId`. */
  get categories(): readonly ResolvedCategory[] {
    this.#categories ??= this.#index.categories.linked(this.categoryId);
    return this.#categories;
  }
}

/** A category: an array of offers (Spec §2.6). */
export class ResolvedCategory extends wireEntry<Category, 'category'>('category', CATEGORY_FIELDS) {
  override readonly source: Category;
  readonly #index: MenuIndex;
  #offers: readonly ResolvedOffer[] | undefined;

  /** @internal */
  constructor(source: Category, index: MenuIndex) {
    super();
    this.source = source;
    this.#index = index;
  }

  /** Sorted by `index`, without offers that have no item; all of the document if the category has no `itemOfferId`. */
  get offers(): readonly ResolvedOffer[] {
    this.#offers ??= this.#index.offers.linked(this.itemOfferId);
    return this.#offers;
  }
}

/** An item with a price (Spec §2.7). */
export class ResolvedOffer extends wireEntry<ItemOffer, 'offer'>('offer', OFFER_FIELDS) {
  override readonly source: ItemOffer;
  readonly #index: MenuIndex;
  /** The item that is offered. */
  readonly item: ResolvedItem;
  #optionGroups: readonly ResolvedOptionGroup[] | undefined;

  /** @internal */
  constructor(source: ItemOffer, item: ResolvedItem, index: MenuIndex) {
    super();
    this.source = source;
    this.item = item;
    this.#index = index;
  }

  /** Sorted by `index`. */
  get optionGroups(): readonly ResolvedOptionGroup[] {
    this.#optionGroups ??= this.#index.optionGroups.linked(this.optionGroupsId ?? []);
    return this.#optionGroups;
  }
}

/** A product. Offers and options sell items (Spec §2.8). */
export class ResolvedItem extends wireEntry<Item, 'item'>('item', ITEM_FIELDS) {
  override readonly source: Item;

  /** @internal */
  constructor(source: Item) {
    super();
    this.source = source;
  }

  /** The images to show: `images`, or `image` if that is empty. */
  get pictures(): readonly ItemImage[] {
    const { image } = this;
    const images = arrayOf(this.images).filter(isImage);
    return images.length > 0 || !isImage(image) ? images : [{ ...image, type: 'MAIN' }];
  }
}

/** A group of options of an offer, such as the crusts of a pizza (Spec §2.9). */
export class ResolvedOptionGroup extends wireEntry<OptionGroup, 'optionGroup', 'options'>(
  'optionGroup',
  OPTION_GROUP_FIELDS,
) {
  override readonly source: OptionGroup;
  readonly #index: MenuIndex;
  #options: readonly ResolvedOption[] | undefined;

  /** @internal */
  constructor(source: OptionGroup, index: MenuIndex) {
    super();
    this.source = source;
    this.#index = index;
  }

  /** Sorted by `index`. */
  get options(): readonly ResolvedOption[] {
    if (!this.#options) {
      const { items } = this.#index;
      const options = uniqueById(this.source.options);
      this.#options = sortByIndex(
        options.map((each) => new ResolvedOption(each, items.get(each.itemId as string), this)),
      );
    }
    return this.#options;
  }

  /** Whether `minPermitted` is greater than the available options allow. */
  get isUnsatisfiable(): boolean {
    const { minPermitted = 0, maxPermitted } = this;
    if (minPermitted <= 0) return false;
    if (maxPermitted !== undefined && maxPermitted < minPermitted) return true;
    let available = 0;
    for (const option of this.options) {
      if (isUnavailable(option) || isUnavailable(option.item)) continue;
      available += Math.max(0, option.maxPermitted ?? Number.POSITIVE_INFINITY);
    }
    return available < minPermitted;
  }
}

/** An option of a group (Spec §2.9). */
export class ResolvedOption extends wireEntry<Option, 'option'>('option', OPTION_FIELDS) {
  override readonly source: Option;
  /** The item that is sold as this option; undefined if it has no `itemId`, or the document does not have the item. */
  readonly item: ResolvedItem | undefined;
  /** The group that it is an option of. */
  readonly group: ResolvedOptionGroup;

  /** @internal */
  constructor(source: Option, item: ResolvedItem | undefined, group: ResolvedOptionGroup) {
    super();
    this.source = source;
    this.item = item;
    this.group = group;
  }
}

/** The class of each kind of entry. */
export interface ResolvedKinds {
  /** A way to order, with its menu. */
  service: ResolvedService;
  /** A menu, with its categories. */
  menu: ResolvedMenu;
  /** A category, with its offers. */
  category: ResolvedCategory;
  /** An offer, with its item and option groups. */
  offer: ResolvedOffer;
  /** An item. */
  item: ResolvedItem;
  /** An option group, with its options. */
  optionGroup: ResolvedOptionGroup;
  /** An option, with its item. */
  option: ResolvedOption;
}

/** The kind of an entry, such as `'offer'`. */
export type EntryKind = keyof ResolvedKinds;

/** An entry of any kind; `kind` says which. */
export type ResolvedEntry = ResolvedKinds[EntryKind];

const isImage = <Image>(image: Image | undefined): image is Image =>
  typeof (image as { URL?: unknown } | null | undefined)?.URL === 'string';
