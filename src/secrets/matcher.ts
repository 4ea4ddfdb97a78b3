import type { Budget } from './budget.js';
import { MAX_CODE_POINT } from './characters.js';
import type { EscapeTable } from './escape-table.js';
import type { Patterns } from './patterns.js';
import type { Ranges } from './ranges.js';

/** A position, and the secrets of which the first `length` units match the text up to it. */
interface Branch {
  readonly at: number;
  readonly length: number;
  /** The secrets are `sorted` from `low` up to, but not including, `high`. */
  readonly low: number;
  readonly high: number;
}

/** Remembering a branch costs as much as a few characters. */
const STEPS_PER_BRANCH = 8;

/**
 * Finds the secrets that begin at a position, written in any mixture of plain
 * characters and escapes.
 *
 * It compares all secrets at once: those that match the text so far are
 * neighbours in `sorted`, and each unit narrows them. Each escape that the text
 * offers is one more branch to follow.
 */
export class Matcher {
  readonly #text: string;
  readonly #patterns: Patterns;
  readonly #table: EscapeTable;
  readonly #budget: Budget;
  readonly #found: Ranges;
  /** More than the length of any secret. */
  readonly #lengthBound: number;
  #low = 0;
  #high = 0;

  constructor(text: string, patterns: Patterns, table: EscapeTable, budget: Budget, found: Ranges) {
    this.#text = text;
    this.#patterns = patterns;
    this.#table = table;
    this.#budget = budget;
    this.#found = found;
    this.#lengthBound = 1 + Math.max(...patterns.sorted.map((secret) => secret.length));
  }

  /** Adds the ranges of the secrets that begin at `start` to `found`. */
  matchAt(start: number): void {
    const pending: Branch[] = [];
    this.#follow(start, start, 0, 0, this.#patterns.sorted.length, pending);
    if (pending.length === 0) return;
    // Two branches that meet are followed once.
    const followed = new Set<number>();
    for (let branch = pending.pop(); branch; branch = pending.pop()) {
      const { at, length, low, high } = branch;
      const key = (at * this.#lengthBound + length) * this.#patterns.sorted.length + low;
      if (followed.has(key)) continue;
      followed.add(key);
      this.#budget.spend(STEPS_PER_BRANCH);
      this.#follow(start, at, length, low, high, pending);
    }
  }

  /** Follows plain characters as far as they match; the escapes on the way become branches. */
  #follow(start: number, from: number, matched: number, low: number, high: number, pending: Branch[]): void {
    const { sorted } = this.#patterns;
    this.#low = low;
    this.#high = high;
    let at = from;
    let length = matched;
    for (;;) {
      // Of secrets with a common prefix, the shortest is the first.
      while (this.#low < this.#high && sorted[this.#low]?.length === length) {
        this.#found.push(start, at);
        this.#low += 1;
      }
      if (this.#low === this.#high) break;
      if (this.#table.hasAt(at)) this.#addBranches(at, length, pending);
      if (!this.#narrow(length, this.#text.charCodeAt(at))) break;
      at += 1;
      length += 1;
      if (this.#low + 1 === this.#high) {
        const count = this.#plainMatch(at, length, sorted[this.#low] ?? '');
        at += count;
        length += count;
      }
    }
    this.#budget.spend(1 + at - from);
  }

  /** How many more units of the only secret that is left match plain characters before the next escape. */
  #plainMatch(at: number, length: number, secret: string): number {
    let count = 0;
    while (
      length + count < secret.length &&
      this.#text.charCodeAt(at + count) === secret.charCodeAt(length + count) &&
      !this.#table.hasAt(at + count)
    ) {
      count += 1;
    }
    return count;
  }

  /** One branch for each escape at a position whose character some secret continues with. */
  #addBranches(at: number, length: number, pending: Branch[]): void {
    const low = this.#low;
    const high = this.#high;
    const stop = this.#table.endAt(at);
    for (let each = this.#table.firstAt(at); each < stop; each += 1) {
      const code = this.#table.codeOf(each);
      const end = this.#table.endOf(each);
      if (code < 0x10000) {
        if (this.#narrow(length, code)) {
          pending.push({ at: end, length: length + 1, low: this.#low, high: this.#high });
        }
      } else if (code <= MAX_CODE_POINT) {
        const pair = String.fromCodePoint(code);
        if (this.#narrow(length, pair.charCodeAt(0)) && this.#narrow(length + 1, pair.charCodeAt(1))) {
          pending.push({ at: end, length: length + 2, low: this.#low, high: this.#high });
        }
      }
      this.#low = low;
      this.#high = high;
    }
  }

  /** Keeps the secrets that have this unit at this index; false: no secret is left. */
  #narrow(index: number, unit: number): boolean {
    const { sorted } = this.#patterns;
    while (this.#low < this.#high && sorted[this.#low]?.charCodeAt(index) !== unit) this.#low += 1;
    while (this.#low < this.#high && sorted[this.#high - 1]?.charCodeAt(index) !== unit) this.#high -= 1;
    return this.#low < this.#high;
  }
}
