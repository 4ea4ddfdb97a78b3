import { ConfigurationError } from '../errors.js';
import { COLLECTIONS, type CollectionEntry, type CollectionName } from '../schemas/collections.js';
import type { Merchant } from '../schemas/merchant.js';
import { changedPaths } from './changed-paths.js';

/** An entry both documents have, and what of it differs. */
export interface ChangedEntry<E> {
  readonly id: string;
  readonly before: E;
  readonly after: E;
  /** From the entry's root to each value that differs, was added or is gone; at most 64 steps deep. */
  readonly paths: ReadonlyArray<ReadonlyArray<string | number>>;
}

/**
 * What became of one collection. A table of its entries by id that takes
 * `removed` out, and puts `added` and `after` of `changed` in, holds what the
 * new document holds; `order` says in which order.
 */
export interface CollectionChanges<E> {
  readonly added: readonly E[];
  readonly removed: readonly E[];
  readonly changed: ReadonlyArray<ChangedEntry<E>>;
  /** The fewest ids that have to be moved for the entries of both documents to stand in the new order. */
  readonly moved: readonly string[];
  /** All ids in the new order; undefined where nothing was added or moved. */
  readonly order: readonly string[] | undefined;
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

/**
 * Compares two merchant documents entry by entry, by id. Of several entries
 * with one id the first counts, as in `Menu`.
 *
 * @throws {ConfigurationError} one of them is no object.
 */
export function diffMerchants(before: Merchant, after: Merchant): MerchantChanges {
  for (const [name, document] of Object.entries({ before, after })) {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      throw new ConfigurationError(name, 'must be a merchant document, as hub.merchant.get() gives it');
    }
  }
  const collections = COLLECTIONS.map((name) => [
    name,
    compareEntries(byId(before[name]), byId(after[name])),
  ]);
  const known: ReadonlySet<string> = new Set(COLLECTIONS);
  const root = changedPaths(before, after, (key) => known.has(key) || WHEN.has(key)).map(([key]) =>
    String(key),
  );
  return { ...Object.fromEntries(collections), root: [...new Set(root)] } as unknown as MerchantChanges;
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

interface Entry {
  readonly id: string;
}

function byId(entries: readonly Entry[] | undefined): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    if (typeof entry?.id === 'string' && !found.has(entry.id)) found.set(entry.id, entry);
  }
  return found;
}

function compareEntries(
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): CollectionChanges<Entry> {
  const added: Entry[] = [];
  const changed: ChangedEntry<Entry>[] = [];
  for (const [id, entry] of after) {
    const old = before.get(id);
    if (!old) added.push(entry);
    else if (old !== entry) {
      const paths = changedPaths(old, entry);
      if (paths.length > 0) changed.push({ id, before: old, after: entry, paths });
    }
  }
  const removed = [...before.values()].filter(({ id }) => !after.has(id));
  const places = new Map([...before.keys()].map((id, at) => [id, at]));
  const moved = outOfOrder(
    [...after.keys()].filter((id) => before.has(id)),
    (id) => places.get(id) as number,
  );
  const order = added.length + moved.length > 0 ? [...after.keys()] : undefined;
  return { added, removed, changed, moved, order };
}

/** The fewest that have to go elsewhere for the rest to stand in order: all but a longest rising run. */
function outOfOrder(ids: readonly string[], placeOf: (id: string) => number): readonly string[] {
  const places = ids.map(placeOf);
  if (places.every((place, at) => at === 0 || (places[at - 1] as number) < place)) return [];
  /** For each length, where the rising run of that length with the lowest end ends. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, place] of places.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[ends[middle] as number] as number) < place) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const stays = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) stays.add(at);
  return ids.filter((_, at) => !stays.has(at));
}
