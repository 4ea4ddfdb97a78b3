import { leastScore } from './score.js';

/** Hashes, four integers each, and their scores. */
export interface MarkEntries {
  readonly hashes: Int32Array;
  readonly scores: Float64Array;
}

/** A slot has 24 bytes, score and hash side by side, so that a look-up waits for the memory once. */
const SLOT_BYTES = 24;
const SLOT_SCORES = 3;
const SLOT_WORDS = 6;
const HASH_AT = 2;

const MIN_SLOTS = 8;

/** A larger table is divided, because copying it would stop the process for longer than a fraction of a millisecond. */
const MAX_SLOTS = 8192;

/** With 16 bits there are room and speed for more events than a process can handle; more bits need ids that share them on purpose. */
const MAX_BITS = 16;

/** A table is full at this load. A new one has at most `NEW_LOAD`, so that a copy is worth its time. */
const FULL_LOAD = 0.8;
const NEW_LOAD = 0.6;

/**
 * Scores by hash: a hash table in one buffer, with linear probing. A score of 0
 * is an empty slot. What has expired is left out when the table is copied.
 */
export class MarkTable {
  /** All hashes in this table have the same lowest bits, as many as this. */
  readonly bits: number;
  readonly #mask: number;
  readonly #scores: Float64Array;
  readonly #words: Int32Array;
  #used = 0;

  /** @param count - how many hashes it has room for, at least. */
  constructor(count = 0, bits = 0) {
    const slots = slotsFor(count);
    const buffer = new ArrayBuffer(slots * SLOT_BYTES);
    this.bits = bits;
    this.#mask = slots - 1;
    this.#scores = new Float64Array(buffer);
    this.#words = new Int32Array(buffer);
  }

  get isFull(): boolean {
    return this.#used >= (this.#mask + 1) * FULL_LOAD;
  }

  /** The score of the hash that begins at the index `at`, or 0. */
  get(hashes: Int32Array, at: number): number {
    return this.#scores[this.#find(hashes, at) * SLOT_SCORES] as number;
  }

  set(hashes: Int32Array, at: number, score: number): void {
    const slot = this.#find(hashes, at);
    const isNew = this.#scores[slot * SLOT_SCORES] === 0;
    this.#scores[slot * SLOT_SCORES] = score;
    if (!isNew) return;
    this.#used += 1;
    for (let word = 0; word < 4; word += 1)
      this.#words[slot * SLOT_WORDS + HASH_AT + word] = hashes[at + word] as number;
  }

  /** Everything that has not expired. */
  entries(now: number): MarkEntries {
    const count = this.#count(now);
    const entries = { hashes: new Int32Array(4 * count), scores: new Float64Array(count) };
    let index = 0;
    this.#forEach(now, (at, score) => {
      entries.hashes.set(this.#words.subarray(at, at + 4), 4 * index);
      entries.scores[index] = score;
      index += 1;
    });
    return entries;
  }

  /** A table of what has not expired, or two of them: the second has the hashes in which the next bit is set. */
  rebuilt(now: number): readonly [MarkTable] | readonly [MarkTable, MarkTable] {
    const count = this.#count(now);
    if (slotsFor(count) <= MAX_SLOTS || this.bits === MAX_BITS) {
      const table = new MarkTable(count, this.bits);
      this.#forEach(now, (at, score) => table.set(this.#words, at, score));
      return [table];
    }
    const bit = 1 << this.bits;
    const isSet = (at: number) => ((this.#words[at] as number) & bit) !== 0;
    let setCount = 0;
    this.#forEach(now, (at) => {
      if (isSet(at)) setCount += 1;
    });
    const halves = [
      new MarkTable(count - setCount, this.bits + 1),
      new MarkTable(setCount, this.bits + 1),
    ] as const;
    this.#forEach(now, (at, score) => halves[isSet(at) ? 1 : 0].set(this.#words, at, score));
    return halves;
  }

  /** The slot of the hash, or the empty slot for it. The first word chooses the table, the second the slot. */
  #find(hashes: Int32Array, at: number): number {
    const scores = this.#scores;
    const words = this.#words;
    const first = hashes[at] as number;
    const second = hashes[at + 1] as number;
    let slot = second & this.#mask;
    for (; scores[slot * SLOT_SCORES] !== 0; slot = (slot + 1) & this.#mask) {
      const word = slot * SLOT_WORDS + HASH_AT;
      if (
        words[word] === first &&
        words[word + 1] === second &&
        words[word + 2] === hashes[at + 2] &&
        words[word + 3] === hashes[at + 3]
      )
        break;
    }
    return slot;
  }

  #count(now: number): number {
    let count = 0;
    this.#forEach(now, () => {
      count += 1;
    });
    return count;
  }

  /** @param visit - gets where the hash begins in `#words`. */
  #forEach(now: number, visit: (at: number, score: number) => void): void {
    const least = leastScore(now);
    for (let slot = 0; slot <= this.#mask; slot += 1) {
      const score = this.#scores[slot * SLOT_SCORES] as number;
      if (score >= least) visit(slot * SLOT_WORDS + HASH_AT, score);
    }
  }
}

/** A power of two. */
function slotsFor(count: number): number {
  let slots = MIN_SLOTS;
  while (count > slots * NEW_LOAD) slots *= 2;
  return slots;
}
