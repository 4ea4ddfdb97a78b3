import {
  type Category,
  categorySchema,
  type Item,
  type ItemOffer,
  itemOfferSchema,
  itemSchema,
  type MenuEntry,
  menuSchema,
  type Option,
  type OptionGroup,
  optionGroupSchema,
  optionSchema,
  type Service,
  serviceSchema,
} from '../schemas/merchant.js';
import { arrayOf, sortByIndex, uniqueById } from './entries.js';
import { wireEntry } from './wire-entry.js';

/** Finds the entries that an entry names by id; implemented by `MenuIndex`. */
export interface EntryLookup {
  readonly menus: ReadonlyMap<string, ResolvedMenu>;
  readonly items: ReadonlyMap<string, ResolvedItem>;
  linked<Name extends keyof LinkedCollections>(
    ids: readonly string[] | undefined,
    name: Name,
  ): readonly LinkedCollections[Name][];
}

/** Collections that other entries name by an array of ids. */
export interface LinkedCollections {
  categories: ResolvedCategory;
  offers: ResolvedOffer;
  optionGroups: ResolvedOptionGroup;
}

/** A channel (delivery, takeout, indoor) and the menu it sells. */
export class ResolvedService extends wireEntry<Service>(serviceSchema) {
  readonly #index: EntryLookup;

  constructor(source: Service, index: EntryLookup) {
    super(source);
    this.#index = index;
  }

  get kind(): 'service' {
    return 'service';
  }

  /** Undefined where the document names none, or one that is not there. */
  get menu(): ResolvedMenu | undefined {
    return this.menuId === undefined ? undefined : this.#index.menus.get(this.menuId);
  }
}

export class ResolvedMenu extends wireEntry<MenuEntry>(menuSchema) {
  readonly #index: EntryLookup;
  #categories: readonly ResolvedCategory[] | undefined;

  constructor(source: MenuEntry, index: EntryLookup) {
    super(source);
    this.#index = index;
  }

  get kind(): 'menu' {
    return 'menu';
  }

  /** By `index`; all of the document's where the menu does not say which. */
  get categories(): readonly ResolvedCategory[] {
    this.#categories ??= this.#index.linked(this.categoryId, 'categories');
    return this.#categories;
  }
}

export class ResolvedCategory extends wireEntry<Category>(categorySchema) {
  readonly #index: EntryLookup;
  #offers: readonly ResolvedOffer[] | undefined;

  constructor(source: Category, index: EntryLookup) {
    super(source);
    this.#index = index;
  }

  get kind(): 'category' {
    return 'category';
  }

  /** By `index`, those without an item left out; all of the document's where the category does not say which. */
  get offers(): readonly ResolvedOffer[] {
    this.#offers ??= this.#index.linked(this.itemOfferId, 'offers');
    return this.#offers;
  }
}

/** An item at a price. */
export class ResolvedOffer extends wireEntry<ItemOffer>(itemOfferSchema) {
  readonly #index: EntryLookup;
  readonly item: ResolvedItem;
  #optionGroups: readonly ResolvedOptionGroup[] | undefined;

  constructor(source: ItemOffer, item: ResolvedItem, index: EntryLookup) {
    super(source);
    this.item = item;
    this.#index = index;
  }

  get kind(): 'offer' {
    return 'offer';
  }

  /** By `index`. */
  get optionGroups(): readonly ResolvedOptionGroup[] {
    this.#optionGroups ??= this.#index.linked(this.optionGroupsId ?? [], 'optionGroups');
    return this.#optionGroups;
  }
}

export class ResolvedItem extends wireEntry<Item>(itemSchema) {
  get kind(): 'item' {
    return 'item';
  }

  /** What to show: `images`, or `image` where that is empty. */
  get pictures(): readonly { readonly URL: string; readonly type?: string | undefined }[] {
    const { image } = this;
    const images = arrayOf(this.images).filter(isPicture);
    return images.length > 0 || !isPicture(image) ? images : [{ ...image, type: 'MAIN' }];
  }
}

export class ResolvedOptionGroup extends wireEntry<OptionGroup, 'options'>(optionGroupSchema, ['options']) {
  readonly #index: EntryLookup;
  #options: readonly ResolvedOption[] | undefined;

  constructor(source: OptionGroup, index: EntryLookup) {
    super(source);
    this.#index = index;
  }

  get kind(): 'optionGroup' {
    return 'optionGroup';
  }

  /** By `index`. */
  get options(): readonly ResolvedOption[] {
    if (!this.#options) {
      const { items } = this.#index;
      const options = uniqueById(this.source.options);
      this.#options = sortByIndex(
        options.map((each) => new ResolvedOption(each, items.get(each.itemId as string))),
      );
    }
    return this.#options;
  }

  /** Whether more has to be chosen than its available options allow. */
  get isUnsatisfiable(): boolean {
    const { minPermitted = 0, maxPermitted } = this;
    if (minPermitted <= 0) return false;
    if (maxPermitted !== undefined && maxPermitted < minPermitted) return true;
    let offered = 0;
    for (const option of this.options) {
      if (option.status === 'UNAVAILABLE' || option.item?.status === 'UNAVAILABLE') continue;
      offered += Math.max(0, option.maxPermitted ?? Number.POSITIVE_INFINITY);
    }
    return offered < minPermitted;
  }
}

export class ResolvedOption extends wireEntry<Option>(optionSchema) {
  /** The item the option is; undefined where the document does not say or does not have it. */
  readonly item: ResolvedItem | undefined;

  constructor(source: Option, item: ResolvedItem | undefined) {
    super(source);
    this.item = item;
  }

  get kind(): 'option' {
    return 'option';
  }
}

const isPicture = <Image>(image: Image | undefined): image is Image =>
  typeof (image as { URL?: unknown } | null | undefined)?.URL === 'string';

/** What `Menu` gives by its kind. */
export interface ResolvedKinds {
  service: ResolvedService;
  menu: ResolvedMenu;
  category: ResolvedCategory;
  offer: ResolvedOffer;
  item: ResolvedItem;
  optionGroup: ResolvedOptionGroup;
  option: ResolvedOption;
}

export type EntryKind = keyof ResolvedKinds;

export type ResolvedEntry = ResolvedKinds[EntryKind];
