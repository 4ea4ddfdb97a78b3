import type {
  ResolvedCategory,
  ResolvedItem,
  ResolvedMenu,
  ResolvedOffer,
  ResolvedOption,
  ResolvedOptionGroup,
  ResolvedService,
} from './resolved.js';

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

export type EntryKind = keyof ResolvedKinds;

export type ResolvedEntry = ResolvedKinds[EntryKind];
