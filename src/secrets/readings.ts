import { type Budget, BudgetExceeded } from './budget.js';
import { BYTE, hexDigit, MAX_CODE_POINT } from './characters.js';
import { type Patterns, USEFUL } from './patterns.js';

/** A text, or a part of one, whose escapes are read. */
export interface EscapedText {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether its units are bytes. */
  readonly isBytes: boolean;
}

/** No encoder comes near so many readings of one place. */
const COUNT_BITS = 6;
const MAX_READINGS = (1 << COUNT_BITS) - 1;

const NO_PLACES = new Int32Array(0);

/**
 * What the places of a text can be read as: characters, and where the spelling
 * of each ends. In columns, because a page may have a reading for each of its
 * characters.
 */
export class Readings {
  readonly text: string;
  /** Where the character ends that was asked for last. */
  next = 0;
  readonly #view: EscapedText;
  readonly #patterns: Patterns;
  readonly #budget: Budget;
  /** The index of the first reading of each place, and how many it has in the lowest bits. */
  #places = NO_PLACES;
  /** The first reading of the place that is being read. */
  #first = 0;
  #length = 0;
  #codes = new Int32Array(64);
  #ends = new Int32Array(64);
  #depths = new Uint8Array(64);
  #weights = new Uint8Array(64);

  constructor(view: EscapedText, patterns: Patterns, budget: Budget) {
    this.text = view.text;
    this.#view = view;
    this.#patterns = patterns;
    this.#budget = budget;
  }

  /** How many readings there are. */
  get length(): number {
    return this.#length;
  }

  /** Begins another place; returns the index of its first reading. */
  begin(): number {
    this.#first = this.#length;
    return this.#first;
  }

  /** Keeps what was added since `begin` as the readings of a place; how many they are. */
  keep(at: number): number {
    const count = this.#length - this.#first;
    if (count === 0) return 0;
    this.#budget.spend(count);
    if (this.#places === NO_PLACES) this.#places = new Int32Array(this.#view.to - this.#view.from);
    this.#places[at - this.#view.from] = (this.#first << COUNT_BITS) | count;
    return count;
  }

  /** How many readings a place has that has been read. */
  countAt(at: number): number {
    const place = at - this.#view.from;
    return place < this.#places.length ? (this.#places[place] ?? 0) & MAX_READINGS : 0;
  }

  /** The index of its first reading, for `codeOf` and `endOf`; the others follow. */
  firstAt(at: number): number {
    const place = at - this.#view.from;
    return place < this.#places.length ? (this.#places[place] ?? 0) >>> COUNT_BITS : 0;
  }

  /** A code point, or beyond those a byte of one. */
  codeOf(reading: number): number {
    return this.#codes[reading] ?? 0;
  }

  endOf(reading: number): number {
    return this.#ends[reading] ?? 0;
  }

  /** How many escapes are written in one another here. */
  depthOf(reading: number): number {
    return this.#depths[reading] ?? 0;
  }

  /** How many backslashes of the text a reading as one backslash stands for. */
  weightOf(reading: number): number {
    return this.#weights[reading] ?? 1;
  }

  /** Adds a reading, unless it is of no use for these secrets. */
  add(code: number, end: number, depth: number, weight = 1): void {
    if (code < 0x80 ? ((this.#patterns.classes[code] ?? 0) & USEFUL) === 0 : !this.#isNeeded(code)) return;
    const length = this.#length;
    for (let each = this.#first; each < length; each += 1) {
      if (this.#codes[each] === code && this.#ends[each] === end) return;
    }
    if (length - this.#first === MAX_READINGS) throw new BudgetExceeded('too many readings of one place');
    if (length === this.#codes.length) this.#grow();
    this.#codes[length] = code;
    this.#ends[length] = end;
    this.#depths[length] = depth;
    this.#weights[length] = weight;
    this.#length = length + 1;
  }

  #isNeeded(code: number): boolean {
    return !this.#patterns.isAscii && (code <= MAX_CODE_POINT || code >= BYTE);
  }

  #grow(): void {
    const grown = <T extends Int32Array | Uint8Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    const size = 4 * this.#length;
    this.#codes = grown(this.#codes, new Int32Array(size));
    this.#ends = grown(this.#ends, new Int32Array(size));
    this.#depths = grown(this.#depths, new Uint8Array(size));
    this.#weights = grown(this.#weights, new Uint8Array(size));
  }

  /** A number of so many hexadecimal digits, each of which may be escaped; -1 where they are not there. */
  hex(from: number, digits: number): number {
    let at = from;
    let value = 0;
    for (let count = 0; count < digits; count += 1) {
      let digit = hexDigit(this.text.charCodeAt(at));
      let end = at + 1;
      for (
        let more = this.countAt(at), each = this.firstAt(at);
        digit < 0 && more > 0;
        more -= 1, each += 1
      ) {
        digit = hexDigit(this.codeOf(each));
        end = this.endOf(each);
      }
      if (digit < 0) return -1;
      value = value * 16 + digit;
      at = end;
    }
    this.next = at;
    return value;
  }

  /** Whether this character is here, plain or escaped. */
  reads(at: number, code: number): boolean {
    this.next = at + 1;
    if (this.text.charCodeAt(at) === code) return true;
    const end = this.firstAt(at) + this.countAt(at);
    for (let each = this.firstAt(at); each < end; each += 1) {
      if (this.codeOf(each) !== code) continue;
      this.next = this.endOf(each);
      return true;
    }
    return false;
  }

  /** The same for a letter in either case. */
  readsLetter(at: number, lower: number): boolean {
    return this.reads(at, lower) || this.reads(at, lower - 0x20);
  }
}
