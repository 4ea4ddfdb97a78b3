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

/** Finds the secrets whose spelling begins at a place, in any mixture of plain characters and escapes. */
export class Walker {
  readonly #text: string;
  readonly #patterns: Patterns;
  readonly #reader: EscapeReader;
  readonly #budget: Budget;
  readonly #found: Ranges;
  #low = 0;
  #high = 0;

  constructor(text: string, patterns: Patterns, reader: EscapeReader, budget: Budget, found: Ranges) {
    this.#text = text;
    this.#patterns = patterns;
    this.#reader = reader;
    this.#budget = budget;
    this.#found = found;
  }

  walk(start: number): void {
    const pending: Step[] = [{ at: start, length: 0, low: 0, high: this.#patterns.sorted.length }];
    let met: Set<string> | undefined;
    for (let step = pending.pop(); step; step = pending.pop()) {
      if (pending.length > 0 || met) {
        met ??= new Set();
        const key = `${step.at} ${step.length} ${step.low}`;
        if (met.has(key)) continue;
        met.add(key);
      }
      this.#follow(start, step, pending);
    }
  }

  /** One way from a place on, as far as the text is plain; escapes are further ways. */
  #follow(start: number, { at: from, length: read, low, high }: Step, pending: Step[]): void {
    const { sorted } = this.#patterns;
    this.#low = low;
    this.#high = high;
    let at = from;
    let length = read;
    for (; ; at += 1, length += 1) {
      // The shortest of those with a common beginning is the first.
      while (sorted[this.#low]?.length === length && this.#low < this.#high) {
        this.#found.push(start, at);
        this.#low += 1;
      }
      if (this.#low === this.#high) break;
      const unit = this.#text.charCodeAt(at);
      if (this.#reader.countAt(at) > 0) this.#branch(at, length, pending);
      if (!this.#narrow(length, unit)) break;
    }
    this.#budget.spend(1 + at - from);
  }

  #branch(at: number, length: number, pending: Step[]): void {
    const low = this.#low;
    const high = this.#high;
    const end = this.#reader.firstAt(at) + this.#reader.countAt(at);
    for (let each = this.#reader.firstAt(at); each < end; each += 1) {
      const code = this.#reader.codeOf(each);
      const next = this.#reader.endOf(each);
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
