/**
 * Helpers for the arrays of a merchant document. A document that was not read
 * by the lenient reader may hold any value where the types promise an array.
 */

export function arrayOf<Entry>(value: readonly Entry[] | null | undefined): readonly Entry[];
export function arrayOf(value: unknown): readonly unknown[];
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Hosts write the status in any letter case. An unknown status does not close anything. */
export const isUnavailable = ({ status }: { readonly status?: unknown } = {}): boolean =>
  typeof status === 'string' && status.trim().toUpperCase() === 'UNAVAILABLE';

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

/** Arrays of up to this length are searched for duplicates by a scan, which is faster than a set. */
export const MAX_SCANNED = 8;

const rankOf = (entry: Indexed) => entry.index ?? Number.MAX_VALUE;

/** A value of any type for a message: strings are cut to 80 characters, arrays and objects only named. */
export function truncated(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
