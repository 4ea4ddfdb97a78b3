import type { Merchant } from './merchant.js';

/** The arrays of a merchant document whose entries have ids. */
export const COLLECTIONS = [
  'services',
  'menus',
  'categories',
  'itemOffers',
  'items',
  'optionGroups',
  'availabilities',
] as const satisfies ReadonlyArray<keyof Merchant>;

/** The name of an array of the merchant document whose entries have ids. */
export type CollectionName = (typeof COLLECTIONS)[number];

/** One entry of a collection: `CollectionEntry<'items'>` is `Item`. */
export type CollectionEntry<Name extends CollectionName> = Merchant[Name][number];
