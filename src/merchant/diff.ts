import type { Merchant } from '../schemas/merchant.js';

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

/** What became of one collection. */
export interface CollectionChanges<E> {
  readonly added: readonly E[];
  readonly removed: readonly E[];
  readonly changed: ReadonlyArray<{ readonly id: string; readonly before: E; readonly after: E }>;
  /** Ids of entries of both documents that stand elsewhere among each other. */
  readonly moved: readonly string[];
}

/** What became of a merchant document, collection by collection. */
export type MerchantChanges = {
  readonly [Name in CollectionName]: CollectionChanges<CollectionEntry<Name>>;
} & {
  /** Keys of the document's root beside the collections: `status`, `basicInfo`, …; not `lastUpdate` and `TTL`. */
  readonly root: readonly string[];
};

/** Root keys that say when, not what. */
const WHEN: ReadonlySet<string> = new Set(['lastUpdate', 'TTL']);

/** Compares two documents entry by entry, by id; linear in their size. */
export function compareMerchants(before: Merchant, after: Merchant): MerchantChanges {
  const collections = COLLECTIONS.map((name) => [
    name,
    compareEntries<{ readonly id: string }>(before[name], after[name]),
  ]);
  const known: ReadonlySet<string> = new Set(COLLECTIONS);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const root = [...keys].filter(
    (key) =>
      !known.has(key) && !WHEN.has(key) && !sameJson(Reflect.get(before, key), Reflect.get(after, key)),
  );
  return { ...Object.fromEntries(collections), root } as unknown as MerchantChanges;
}

export function isUnchanged(changes: MerchantChanges): boolean {
  return (
    changes.root.length === 0 &&
    COLLECTIONS.every((name) => {
      const { added, removed, changed, moved } = changes[name];
      return added.length + removed.length + changed.length + moved.length === 0;
    })
  );
}

function compareEntries<E extends { readonly id: string }>(
  before: readonly E[],
  after: readonly E[],
): CollectionChanges<E> {
  const gone = new Map(before.map((entry) => [entry.id, entry]));
  const added: E[] = [];
  const changed: { id: string; before: E; after: E }[] = [];
  for (const entry of after) {
    const old = gone.get(entry.id);
    gone.delete(entry.id);
    if (!old) added.push(entry);
    else if (!sameJson(old, entry)) changed.push({ id: entry.id, before: old, after: entry });
  }
  const order = before.filter((entry) => !gone.has(entry.id));
  const isNew = new Set(added);
  const moved = after.filter((entry) => !isNew.has(entry)).filter((entry, at) => order[at]?.id !== entry.id);
  return { added, removed: [...gone.values()], changed, moved: moved.map((entry) => entry.id) };
}

/** Whether two JSON values say the same; the order of keys does not count, an undefined one is absent. */
function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  for (const key of Object.keys(a)) if (!sameJson(Reflect.get(a, key), own(b, key))) return false;
  return Object.keys(b).every((key) => own(a, key) !== undefined || own(b, key) === undefined);
}

const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
