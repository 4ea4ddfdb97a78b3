import { type Budget, BudgetExceeded } from './budget.js';
import { hexValue, MAX_CODE_POINT, RAW_BYTE } from './characters.js';
import { type Patterns, RELEVANT } from './patterns.js';

/** A text, or a part of one. */
export interface TextPart {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const COUNT_BITS = 6;
/** Every encoder produces far fewer meanings of one position. */
const MAX_ESCAPES_PER_POSITION = (1 << COUNT_BITS) - 1;

const NO_POSITIONS = new Int32Array(0);

/**
 * The escapes of a text. An escape begins at a position, ends at another, and
 * stands for one character: `%41` for `A`. One position may have several, because
 * a text does not say which encoders wrote it.
 *
 * Escapes have consecutive indices; those of one position are from `firstAt` up
 * to, but not including, `endAt`. They are stored in columns, because a page may
 * have an escape for each of its characters.
 */
export class EscapeTable {
  readonly text: string;
  /** Where the character ends that `readHex`, `matches` or `matchesLetter` has read. */
  readEnd = 0;
  readonly #part: TextPart;
  readonly #patterns: Patterns;
  readonly #budget: Budget;
  /** By position: the index of its first escape, and in the lowest bits how many it has. */
  #positions = NO_POSITIONS;
  /** The first escape of the position that is being added. */
  #first = 0;
  #length = 0;
  #codes = new Int32Array(64);
  #ends = new Int32Array(64);
  #depths = new Uint8Array(64);
  #weights = new Uint8Array(64);

  constructor(part: TextPart, patterns: Patterns, budget: Budget) {
    this.text = part.text;
    this.#part = part;
    this.#patterns = patterns;
    this.#budget = budget;
  }

  /** The number of escapes. */
  get length(): number {
    return this.#length;
  }

  /** Starts a position; returns the index of its first escape. */
  begin(): number {
    this.#first = this.#length;
    return this.#first;
  }

  /** Assigns the escapes that were added since `begin` to a position. */
  assignTo(at: number): void {
    const count = this.#length - this.#first;
    if (count === 0) return;
    this.#budget.spend(count);
    if (this.#positions === NO_POSITIONS) this.#positions = new Int32Array(this.#part.to - this.#part.from);
    this.#positions[at - this.#part.from] = (this.#first << COUNT_BITS) | count;
  }

  /** Whether an escape begins at a position. */
  hasAt(at: number): boolean {
    return this.#positionAt(at) !== 0;
  }

  /** The index of a position's first escape. */
  firstAt(at: number): number {
    return this.#positionAt(at) >>> COUNT_BITS;
  }

  /** The index behind a position's last escape. */
  endAt(at: number): number {
    const position = this.#positionAt(at);
    return (position >>> COUNT_BITS) + (position & MAX_ESCAPES_PER_POSITION);
  }

  #positionAt(at: number): number {
    const index = at - this.#part.from;
    return index < this.#positions.length ? (this.#positions[index] ?? 0) : 0;
  }

  /** The code point that an escape stands for, or `RAW_BYTE` plus a byte of UTF-8. */
  codeOf(index: number): number {
    return this.#codes[index] ?? 0;
  }

  /** The position behind an escape. */
  endOf(index: number): number {
    return this.#ends[index] ?? 0;
  }

  /** How many escapes are nested in an escape, itself included: 2 for `%2541`. */
  depthOf(index: number): number {
    return this.#depths[index] ?? 0;
  }

  /** The number of backslashes in an escape that stands for one backslash. */
  weightOf(index: number): number {
    return this.#weights[index] ?? 1;
  }

  /** Adds an escape, unless its character is irrelevant to these secrets. */
  add(code: number, end: number, depth: number, weight = 1): void {
    const isRelevant =
      code < 0x80
        ? ((this.#patterns.classes[code] ?? 0) & RELEVANT) !== 0
        : this.#isRelevantBeyondAscii(code);
    if (!isRelevant) return;
    const length = this.#length;
    for (let each = this.#first; each < length; each += 1) {
      if (this.#codes[each] === code && this.#ends[each] === end) return;
    }
    if (length - this.#first === MAX_ESCAPES_PER_POSITION) {
      throw new BudgetExceeded('too many escapes at one position');
    }
    if (length === this.#codes.length) this.#grow();
    this.#codes[length] = code;
    this.#ends[length] = end;
    this.#depths[length] = depth;
    this.#weights[length] = weight;
    this.#length = length + 1;
  }

  #isRelevantBeyondAscii(code: number): boolean {
    return !this.#patterns.isAscii && (code <= MAX_CODE_POINT || code >= RAW_BYTE);
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

  /** Reads a number of `digits` hexadecimal digits, plain or escaped; -1 if there are fewer. Sets `readEnd`. */
  readHex(from: number, digits: number): number {
    let at = from;
    let value = 0;
    for (let count = 0; count < digits; count += 1) {
      let digit = hexValue(this.text.charCodeAt(at));
      let end = at + 1;
      const stop = this.endAt(at);
      for (let each = this.firstAt(at); digit < 0 && each < stop; each += 1) {
        digit = hexValue(this.codeOf(each));
        end = this.endOf(each);
      }
      if (digit < 0) return -1;
      value = value * 16 + digit;
      at = end;
    }
    this.readEnd = at;
    return value;
  }

  /** Whether this character is at a position, plain or escaped. Sets `readEnd`. */
  matches(at: number, code: number): boolean {
    this.readEnd = at + 1;
    if (this.text.charCodeAt(at) === code) return true;
    const stop = this.endAt(at);
    for (let each = this.firstAt(at); each < stop; each += 1) {
      if (this.codeOf(each) !== code) continue;
      this.readEnd = this.endOf(each);
      return true;
    }
    return false;
  }

  /** The same for a letter in either case. */
  matchesLetter(at: number, lowerCase: number): boolean {
    return this.matches(at, lowerCase) || this.matches(at, lowerCase - 0x20);
  }
}
