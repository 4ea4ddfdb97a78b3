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

export const isEntry = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && typeof (value as { id?: unknown }).id === 'string';

/** The entries of an array, without values that are not entries; of several with one id, the first. Anything else has none. */
export function uniqueById<Entry extends { readonly id: string }>(
  array: readonly Entry[] | undefined,
): readonly Entry[] {
  if (!Array.isArray(array)) return [];
  const ids = new Set<string>();
  return array.filter((entry) => isEntry(entry) && ids.size < ids.add(entry.id).size);
}
