import { ConfigurationError } from '../errors/index.js';
import {
  COLLECTIONS,
  type CollectionEntry,
  type CollectionName,
  uniqueById,
} from '../schemas/collections.js';
import type { Merchant } from '../schemas/merchant.js';
import { changedPaths } from './changed-paths.js';

/** An entry that both documents have, with different content. */
export interface ChangedEntry<E> {
  /** The id of the entry. */
  readonly id: string;
  /** The entry in the earlier document. */
  readonly before: E;
  /** The entry in the later document. */
  readonly after: E;
  /** Path from the entry to each value that was changed, added or removed; at most 64 keys long. */
  readonly paths: ReadonlyArray<ReadonlyArray<string | number>>;
}

/**
 * The changes of one collection. To update a table of its entries: delete
 * `removed` by id, insert `added`, and write `after` of each `changed` entry.
 * `order` is then the order of the entries.
 */
export interface CollectionChanges<E> {
  /** Entries that only the later document has. */
  readonly added: readonly E[];
  /** Entries that only the earlier document has. */
  readonly removed: readonly E[];
  /** Entries that both documents have, with different content. */
  readonly changed: ReadonlyArray<ChangedEntry<E>>;
  /** The ids to move, as few as possible, to bring the entries that both documents have into the new order. */
  readonly moved: readonly string[];
  /** All ids in the new order; undefined if nothing was added or moved. */
  readonly order: readonly string[] | undefined;
}

/** The changes between two merchant documents, per collection. */
export type MerchantChanges = {
  readonly [Name in CollectionName]: CollectionChanges<CollectionEntry<Name>>;
} & {
  /** Changed keys of the document that are not collections: `status`, `basicInfo`, …; without `lastUpdate` and `TTL`. */
  readonly root: readonly string[];
};

/** Root keys that are not content. */
const NOT_COMPARED: ReadonlySet<string> = new Set<string>([...COLLECTIONS, 'lastUpdate', 'TTL']);

/**
 * Compares two merchant documents. Entries are matched by id; of several
 * entries with one id, the first is used, as in `Menu`.
 *
 * @throws {ConfigurationError} an argument is not an object.
 * @see Spec §2.2
 */
export function diffMerchants(before: Merchant, after: Merchant): MerchantChanges {
  for (const [name, document] of Object.entries({ before, after })) {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      throw new ConfigurationError(name, 'must be a merchant document');
    }
  }
  const collections = COLLECTIONS.map((name) => [
    name,
    compareEntries(byId(entriesOf(before, name)), byId(entriesOf(after, name))),
  ]);
  const paths = changedPaths(rootOf(before), rootOf(after));
  const root = new Set(paths.map(([key]) => String(key)));
  return { ...Object.fromEntries(collections), root: [...root] } as unknown as MerchantChanges;
}

/** The entries of a collection. Of several offers with one id, `Menu` sells the first whose item exists. */
function entriesOf(document: Merchant, name: CollectionName): readonly Entry[] {
  const entries = document[name];
  if (name !== 'itemOffers' || !Array.isArray(entries)) return entries;
  const items = byId(document.items);
  const sold = byId(entries.filter((offer) => items.has(offer?.itemId)));
  return entries.filter((offer) => (sold.get(offer?.id) ?? offer) === offer);
}

const rootOf = (document: Merchant): object =>
  Object.fromEntries(Object.entries(document).filter(([key]) => !NOT_COMPARED.has(key)));

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

const byId = (entries: readonly Entry[] | undefined): ReadonlyMap<string, Entry> =>
  new Map(uniqueById(entries).map((entry) => [entry.id, entry]));

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
  const positions = new Map([...before.keys()].map((id, position) => [id, position]));
  const moved = idsToMove(
    [...after.keys()].filter((id) => before.has(id)),
    (id) => positions.get(id) as number,
  );
  const order = added.length + moved.length > 0 ? [...after.keys()] : undefined;
  return { added, removed, changed, moved, order };
}

/** The fewest ids to move: all that are not part of a longest increasing subsequence of the old positions. */
function idsToMove(ids: readonly string[], positionOf: (id: string) => number): readonly string[] {
  const positions = ids.map(positionOf);
  if (positions.every((position, at) => at === 0 || (positions[at - 1] as number) < position)) return [];
  /** For each length: where the increasing subsequence of this length with the lowest last value ends. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [at, position] of positions.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((positions[ends[middle] as number] as number) < position) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const unmoved = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) unmoved.add(at);
  return ids.filter((_, at) => !unmoved.has(at));
}
