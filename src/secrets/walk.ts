import type { Budget } from './budget.js';
import type { EscapeReader } from './escapes.js';
import type { Patterns } from './patterns.js';
import type { Ranges } from './ranges.js';

/** A place of the text, and the patterns whose first `length` units were read up to there. */
interface Step {
  readonly at: number;
  readonly length: number;
  readonly low: number;
  readonly high: number;
}

const STEPS_PER_WAY = 8;

/** Finds the secrets whose spelling begins at a place, in any mixture of plain characters and escapes. */
export class Walker {
  readonly #text: string;
  readonly #patterns: Patterns;
  readonly #reader: EscapeReader;
  readonly #budget: Budget;
  readonly #found: Ranges;
  readonly #longest: number;
  #low = 0;
  #high = 0;

  constructor(text: string, patterns: Patterns, reader: EscapeReader, budget: Budget, found: Ranges) {
    this.#text = text;
    this.#patterns = patterns;
    this.#reader = reader;
    this.#budget = budget;
    this.#found = found;
    this.#longest = 1 + Math.max(...patterns.sorted.map((each) => each.length));
  }

  walk(start: number): void {
    const pending: Step[] = [];
    this.#follow(start, start, 0, 0, this.#patterns.sorted.length, pending);
    if (pending.length === 0) return;
    // Two ways that meet are walked once.
    const met = new Set<number>();
    for (let step = pending.pop(); step; step = pending.pop()) {
      const { at, length, low, high } = step;
      const key = (at * this.#longest + length) * this.#patterns.sorted.length + low;
      if (met.has(key)) continue;
      met.add(key);
      // Remembering a way costs as much as a few characters.
      this.#budget.spend(STEPS_PER_WAY);
      this.#follow(start, at, length, low, high, pending);
    }
  }

  /** One way from a place on, as far as the text is plain; escapes are further ways. */
  #follow(start: number, from: number, read: number, low: number, high: number, pending: Step[]): void {
    const { sorted } = this.#patterns;
    this.#low = low;
    this.#high = high;
    let at = from;
    let length = read;
    for (;;) {
      // The shortest of those with a common beginning is the first.
      while (this.#low < this.#high && sorted[this.#low]?.length === length) {
        this.#found.push(start, at);
        this.#low += 1;
      }
      if (this.#low === this.#high) break;
      if (this.#reader.readings.countAt(at) > 0) this.#branch(at, length, pending);
      if (!this.#narrow(length, this.#text.charCodeAt(at))) break;
      at += 1;
      length += 1;
      if (this.#low + 1 === this.#high) {
        const plain = this.#plainlyAlike(at, length, sorted[this.#low] ?? '');
        at += plain;
        length += plain;
      }
    }
    this.#budget.spend(1 + at - from);
  }

  /** How many characters of the only secret left follow plainly. */
  #plainlyAlike(at: number, length: number, secret: string): number {
    let plain = 0;
    while (
      length + plain < secret.length &&
      this.#text.charCodeAt(at + plain) === secret.charCodeAt(length + plain) &&
      this.#reader.readings.countAt(at + plain) === 0
    ) {
      plain += 1;
    }
    return plain;
  }

  #branch(at: number, length: number, pending: Step[]): void {
    const low = this.#low;
    const high = this.#high;
    const end = this.#reader.readings.firstAt(at) + this.#reader.readings.countAt(at);
    for (let each = this.#reader.readings.firstAt(at); each < end; each += 1) {
      const code = this.#reader.readings.codeOf(each);
      const next = this.#reader.readings.endOf(each);
      if (code < 0x10000) {
        if (this.#narrow(length, code)) {
          pending.push({ at: next, length: length + 1, low: this.#low, high: this.#high });
        }
      } else if (code <= 0x10ffff) {
        const pair = String.fromCodePoint(code);
        if (this.#narrow(length, pair.charCodeAt(0)) && this.#narrow(length + 1, pair.charCodeAt(1))) {
          pending.push({ at: next, length: length + 2, low: this.#low, high: this.#high });
        }
      }
      this.#low = low;
      this.#high = high;
    }
  }

  /** Leaves those patterns that have this unit at this index; false where there is none. */
  #narrow(index: number, unit: number): boolean {
    const { sorted } = this.#patterns;
    while (this.#low < this.#high && sorted[this.#low]?.charCodeAt(index) !== unit) this.#low += 1;
    while (this.#low < this.#high && sorted[this.#high - 1]?.charCodeAt(index) !== unit) this.#high -= 1;
    return this.#low < this.#high;
  }
}
