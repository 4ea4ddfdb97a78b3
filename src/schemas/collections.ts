import type { Merchant } from './merchant.js';

/** The lists of a merchant document whose entries have ids. */
export const COLLECTIONS = [
  'services',
  'menus',
  'categories',
  'itemOffers',
  'items',
  'optionGroups',
  'availabilities',
] as const satisfies ReadonlyArray<keyof Merchant>;

export type CollectionName = (typeof COLLECTIONS)[number];

/** One entry of a collection. */
export type CollectionEntry<Name extends CollectionName> = Merchant[Name][number];
