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

/** A merchant document has at least one of these keys; otherwise it is something else, such as an error page in JSON. */
export const MERCHANT_KEYS: readonly (keyof Merchant)[] = ['id', 'basicInfo', ...COLLECTIONS];

/** The name of an array of the merchant document whose entries have ids. */
export type CollectionName = (typeof COLLECTIONS)[number];

/** One entry of a collection: `CollectionEntry<'items'>` is `Item`. */
export type CollectionEntry<Name extends CollectionName> = Merchant[Name][number];
