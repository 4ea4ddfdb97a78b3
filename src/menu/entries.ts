/**
 * Helpers for the arrays of a merchant document. A document that was not read
 * by the lenient reader may hold any value where the types promise an array.
 */

/** The value if it is an array, otherwise an empty array. */
export function arrayOf<Entry>(value: readonly Entry[] | null | undefined): readonly Entry[];
export function arrayOf(value: unknown): readonly unknown[];
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value is an object with a string `id`. */
export const isEntry = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && typeof (value as { id?: unknown }).id === 'string';

/** The entries of an array, without values that are not entries; of several with one id, the first. */
export function uniqueById<Entry extends { readonly id: string }>(
  array: readonly Entry[] | undefined,
): readonly Entry[] {
  const entries = arrayOf(array);
  if (entries.length <= MAX_SCANNED && isUnique(entries)) return entries;
  const ids = new Set<string>();
  const unique = entries.filter((entry) => {
    if (!isEntry(entry) || ids.has(entry.id)) return false;
    ids.add(entry.id);
    return true;
  });
  return unique.length === entries.length ? entries : unique;
}

/** Arrays of up to this length are searched for duplicates by a scan, which is faster than a set. */
export const MAX_SCANNED = 8;

function isUnique(entries: readonly { readonly id: string }[]): boolean {
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at];
    if (!isEntry(entry)) return false;
    for (let before = 0; before < at; before += 1) if (entries[before]?.id === entry.id) return false;
  }
  return true;
}

interface Indexed {
  readonly index?: number | undefined;
}

/** Sorts in place by `index`: entries without one come last, equal ones keep their order. */
export function sortByIndex<Entry extends object>(entries: Entry[]): readonly Entry[] {
  let last = Number.NEGATIVE_INFINITY;
  for (const entry of entries) {
    const rank = rankOf(entry);
    if (rank < last) return entries.sort((one, other) => rankOf(one) - rankOf(other));
    last = rank;
  }
  return entries;
}

const rankOf = (entry: Indexed) => entry.index ?? Number.MAX_VALUE;
