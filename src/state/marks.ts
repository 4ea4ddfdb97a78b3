import { type MarkEntries, MarkTable } from './mark-table.js';
import { murmur128 } from './murmur128.js';
import { HANDLED, MAX_COUNTED_ATTEMPTS, type RecallRequest } from './port.js';
import { expiryOf, lifetimeOf, MARK_BASE, markIn, markOf, REMOVED, RENEW_BELOW, scoreOf } from './score.js';

/** Is called for each mark that a recall writes. */
export type OnWrite = (id: string, mark: number, isCounted: boolean) => void;

/** Words of 32 bits per hash. */
const WORDS = 4;

/**
 * Marks of events, in the memory of one process. `now` is the monotonic clock's.
 *
 * Ids are not kept, but 128 bits of hash of key and id: an id costs 30 to 80
 * bytes, and nothing that the garbage collector has to visit. Two ids with the
 * same hash would share their mark; among ten million ids that has a probability
 * of 10^-25.
 *
 * The tables are those of extendible hashing: the lowest bits of a hash are an
 * index of `#tables`, and a table with fewer bits is there several times. So
 * one more id is never slow, however many there are.
 */
export class Marks {
  #tables: MarkTable[] = [];

  set(key: string, ids: readonly string[], mark: number, forMs: number, now: number): void {
    const score = scoreOf(mark, forMs, now);
    const hashes = hashesOf(key, ids);
    for (let at = 0; at < hashes.length; at += WORDS) this.#write(hashes, at, score, now);
  }

  /** The mark of each id, 0 for an unknown one. */
  get(key: string, ids: readonly string[], now: number): number[] {
    const hashes = hashesOf(key, ids);
    return ids.map((_id, index) => markOf(this.#score(hashes, index * WORDS), now));
  }

  /** Renews marks and counts attempts, as `State.recall` does. @returns the marks before that. */
  recall(
    key: string,
    ids: readonly string[],
    request: RecallRequest,
    now: number,
    onWrite: OnWrite = nothing,
  ): number[] {
    const hashes = hashesOf(key, ids);
    // All are read before the first is written: an id may occur twice.
    const scores = ids.map((_id, index) => this.#score(hashes, index * WORDS));
    const { count } = request;
    const below = Math.min(count?.below ?? 0, HANDLED);
    // Usually all are chosen, and a set of new strings takes longer than the rest of the call.
    const chosen = count && count.ids !== ids ? new Set(count.ids) : undefined;
    return scores.map((score, index) => {
      const id = ids[index] as string;
      const mark = markOf(score, now);
      const forMs = lifetimeOf(mark, request);
      const isCounted = mark < below && (chosen?.has(id) ?? true);
      if (isCounted || (mark !== 0 && expiryOf(score) - now < forMs * RENEW_BELOW)) {
        const written = isCounted ? Math.min(MAX_COUNTED_ATTEMPTS, mark + 1) : mark;
        this.#write(hashes, index * WORDS, scoreOf(written, forMs, now), now);
        onWrite(id, written, isCounted);
      }
      return mark;
    });
  }

  /** Adds `by` to the attempts of each id and returns the new marks; a handled id stays handled. */
  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, now: number): number[] {
    const hashes = hashesOf(key, ids);
    return ids.map((_id, index) => {
      const mark = markOf(this.#score(hashes, index * WORDS), now);
      if (mark === HANDLED) return HANDLED;
      const counted = Math.min(MAX_COUNTED_ATTEMPTS, Math.max(0, mark + by));
      this.#write(hashes, index * WORDS, scoreOf(counted, counted === 0 ? 0 : forMs, now), now);
      return counted;
    });
  }

  /** All marks that have not expired, in parts of a few thousand. Their expiries are milliseconds from now. */
  *all(now: number): Generator<MarkEntries> {
    // A table is not changed any more once it was replaced by larger ones.
    for (const table of new Set(this.#tables)) {
      const { hashes, scores } = table.entries(now);
      const shift = (score: number) => Math.ceil(expiryOf(score) - now) * MARK_BASE + markIn(score);
      if (scores.length > 0) yield { hashes, scores: scores.map(shift) };
    }
  }

  /** Restores what `all` has returned, `elapsedMs` later. */
  restore({ hashes, scores }: MarkEntries, elapsedMs: number, now: number): void {
    scores.forEach((score, index) => {
      const left = scoreOf(markIn(score), expiryOf(score) - elapsedMs, now);
      this.#write(hashes, index * WORDS, left, now);
    });
  }

  #score(hashes: Int32Array, at: number): number {
    return this.#table(hashes, at)?.get(hashes, at) ?? 0;
  }

  #write(hashes: Int32Array, at: number, score: number, now: number): void {
    if (score === REMOVED && this.#score(hashes, at) === 0) return;
    if (this.#tables.length === 0) this.#tables = [new MarkTable()];
    let table = this.#table(hashes, at);
    while (table?.isFull) {
      this.#rebuild(table, now);
      table = this.#table(hashes, at);
    }
    table?.set(hashes, at, score);
  }

  /** Undefined before the first mark. */
  #table(hashes: Int32Array, at: number): MarkTable | undefined {
    return this.#tables[(hashes[at] as number) & (this.#tables.length - 1)];
  }

  #rebuild(table: MarkTable, now: number): void {
    const [first, second = first] = table.rebuilt(now);
    const bit = 1 << table.bits;
    if (second !== first && bit === this.#tables.length) this.#tables = [...this.#tables, ...this.#tables];
    this.#tables.forEach((each, index, tables) => {
      if (each === table) tables[index] = (index & bit) === 0 ? first : second;
    });
  }
}

/** The hashes of key and id, four words each. */
function hashesOf(key: string, ids: readonly string[]): Int32Array {
  const keyHash = new Int32Array(WORDS);
  murmur128(key, keyHash, keyHash, 0);
  const hashes = new Int32Array(ids.length * WORDS);
  for (let index = 0; index < ids.length; index += 1)
    murmur128(ids[index] as string, keyHash, hashes, index * WORDS);
  return hashes;
}

const nothing = () => {};
