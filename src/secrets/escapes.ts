import { type Budget, BudgetExceeded } from './budget.js';
import { entityNames, type NameNode } from './entities.js';
import type { Patterns } from './patterns.js';

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;
const HASH = 0x23;

/** A text, or a part of one, whose escapes are read. */
export interface EscapedText {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether its units are bytes. */
  readonly isBytes: boolean;
}

/** Escapes of escapes (`%2525`, `&amp;amp;`) are followed so deep. */
const MAX_LAYERS = 8;
/** Readings of one place; no encoder comes near it. */
const MAX_READINGS = 32;
/** `JSON.stringify` six times makes 64 backslashes of one. */
const MAX_BACKSLASHES = 64;
const MAX_CODE_POINT = 0x10ffff;
/** A byte of a UTF-8 sequence, which is no character by itself. */
const BYTE = 0x200000;

/**
 * Reads the escapes of a text: percent, `+`, backslash and HTML escapes, also
 * where one is written in another.
 *
 * A place has any number of readings, because no text says which encoders
 * wrote it; that of the character itself is not among them. A reading is a
 * character and where its spelling ends. Places are read from the last to the
 * first, so that the readings of what follows are known, and each place is
 * read once.
 */
export class EscapeReader {
  /** Whether units from 0x80 are bytes of UTF-8, as in decoded base64. */
  readonly isBytes: boolean;
  readonly #text: string;
  readonly #from: number;
  readonly #patterns: Patterns;
  readonly #budget: Budget;

  /** Index of the last reading of each place, and how many it has. */
  #lasts: Int32Array | undefined;
  #counts: Uint8Array | undefined;
  readonly #size: number;
  readonly #codes: number[] = [];
  readonly #ends: number[] = [];
  /** How many escapes are written in one another here. */
  readonly #depths: number[] = [];
  /** How many backslashes of the text a reading as one backslash stands for. */
  readonly #weights: number[] = [];

  /** Where the character ends that was asked for last. */
  #next = 0;
  /** The first reading of the place that is being read. */
  #first = 0;

  constructor(view: EscapedText, patterns: Patterns, budget: Budget) {
    this.#text = view.text;
    this.#from = view.from;
    this.#size = view.to - view.from;
    this.isBytes = view.isBytes;
    this.#patterns = patterns;
    this.#budget = budget;
  }

  /** Reads a place, once all places behind it have been read; how many readings it has. */
  read(at: number): number {
    const first = this.#codes.length;
    this.#first = first;
    const unit = this.#text.charCodeAt(at);
    if (unit >= 0x80) this.#byte(unit, at + 1, 1);
    else this.#unescape(unit, at + 1, 1, 1);
    for (let each = first; each < this.#codes.length; each += 1) {
      const depth = (this.#depths[each] ?? 0) + 1;
      this.#unescape(this.#codes[each] ?? 0, this.#ends[each] ?? 0, depth, this.#weights[each] ?? 1);
      if (each - first > MAX_READINGS) throw new BudgetExceeded('too many readings of one place');
    }
    this.#budget.spend(1);
    return this.#keep(at);
  }

  /** Gives the first of a run of backslashes the readings of the last one. */
  share(last: number, first: number): number {
    this.#first = this.#codes.length;
    this.#copy(last);
    return this.#keep(first);
  }

  #keep(at: number): number {
    const count = this.#codes.length - this.#first;
    if (count === 0) return 0;
    this.#budget.spend(count);
    this.#lasts ??= new Int32Array(this.#size);
    this.#counts ??= new Uint8Array(this.#size);
    this.#lasts[at - this.#from] = this.#codes.length - 1;
    this.#counts[at - this.#from] = count;
    return count;
  }

  /** How many readings a place has that has been read. */
  countAt(at: number): number {
    return this.#counts?.[at - this.#from] ?? 0;
  }

  /** The index of its first reading, for `codeOf` and `endOf`; the others follow. */
  firstAt(at: number): number {
    return (this.#lasts?.[at - this.#from] ?? 0) + 1 - this.countAt(at);
  }

  /** A code point, or beyond those a byte of one. */
  codeOf(reading: number): number {
    return this.#codes[reading] ?? 0;
  }

  endOf(reading: number): number {
    return this.#ends[reading] ?? 0;
  }

  /** Readings of a place whose reading so far is this character up to `end`. */
  #unescape(code: number, end: number, depth: number, weight: number): void {
    if (depth > MAX_LAYERS) return;
    if (code === PERCENT) this.#percent(end, depth);
    else if (code === BACKSLASH) this.#backslash(end, depth, weight);
    else if (code === AMPERSAND) this.#entity(end, depth);
    else if (code === PLUS && this.#patterns.hasBlank) this.#push(0x20, end, depth);
  }

  #push(code: number, end: number, depth: number, weight = 1): void {
    if (code > MAX_CODE_POINT && code < BYTE) return;
    for (let each = this.#first; each < this.#codes.length; each += 1) {
      if (this.#codes[each] === code && this.#ends[each] === end) return;
    }
    this.#codes.push(code);
    this.#ends.push(end);
    this.#depths.push(depth);
    this.#weights.push(weight);
  }

  /** `%41`, `%C3%A9`, `%E9`, `%u0041`. */
  #percent(at: number, depth: number): void {
    const value = this.#hex(at, 2);
    if (value >= 0) this.#byte(value, this.#next, depth);
    else if (this.#readsLetter(at, 0x75)) {
      const unit = this.#hex(this.#next, 4);
      if (unit >= 0) this.#push(unit, this.#next, depth);
    }
  }

  /** A byte as a character of ASCII or Latin-1, or as the beginning of one of UTF-8. */
  #byte(byte: number, end: number, depth: number): void {
    if (byte < 0x80) this.#push(byte, end, depth);
    if (byte < 0x80 || this.#patterns.isAscii) return;
    this.#push(BYTE + byte, end, depth);
    this.#push(byte, end, depth);
    const more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    if (more === 0) return;
    let code = byte & (0x3f >> more);
    let at = end;
    for (let count = 0; count < more; count += 1) {
      const next = this.#continuation(at);
      if (next < 0) return;
      code = (code << 6) | next;
      at = this.#next;
    }
    this.#push(code, at, depth);
  }

  #continuation(at: number): number {
    const end = this.firstAt(at) + this.countAt(at);
    for (let each = this.firstAt(at); each < end; each += 1) {
      const byte = this.codeOf(each) - BYTE;
      if (byte < 0x80 || byte > 0xbf) continue;
      this.#next = this.endOf(each);
      return byte & 0x3f;
    }
    return -1;
  }

  /** `\"`, `\n`, `\u0041`, `\u{41}`, `\x41` behind any number of backslashes, and `\\`. */
  #backslash(at: number, depth: number, weight: number): void {
    if (weight === 1) {
      const unit = this.#text.charCodeAt(at);
      if (!this.#mayEscape(unit)) this.#letter(unit, at + 1, depth);
      const last = this.firstAt(at) + this.countAt(at);
      for (let each = this.firstAt(at); each < last; each += 1) {
        if (!this.#mayEscape(this.codeOf(each))) this.#letter(this.codeOf(each), this.endOf(each), depth);
      }
      // Another backslash before an escape changes nothing: it was escaped together with the first.
      this.#copy(at);
    }
    if (!this.#patterns.hasBackslash || weight >= MAX_BACKSLASHES) return;
    const end = this.#backslashes(at, weight);
    if (end >= 0) this.#push(BACKSLASH, end, depth, weight * 2);
  }

  #copy(from: number): void {
    const end = this.firstAt(from) + this.countAt(from);
    for (let each = this.firstAt(from); each < end; each += 1) {
      // Those that stand for several backslashes begin anew here.
      if ((this.#weights[each] ?? 1) === 1)
        this.#push(this.codeOf(each), this.endOf(each), this.#depths[each] ?? 1);
    }
  }

  #letter(letter: number, at: number, depth: number): void {
    switch (letter) {
      case 0x75: {
        const unit = this.#hex(at, 4);
        if (unit >= 0) this.#push(unit, this.#next, depth);
        else this.#braced(at, depth);
        return;
      }
      case 0x78: {
        const byte = this.#hex(at, 2);
        if (byte >= 0) this.#byte(byte, this.#next, depth);
        return;
      }
      default: {
        if (Number.isNaN(letter)) return;
        const control = CONTROLS.get(letter);
        if (control !== undefined) this.#push(control, at, depth);
        else if (letter !== BACKSLASH && !isWord(letter)) this.#push(letter, at, depth);
      }
    }
  }

  /** `\u{1f600}` */
  #braced(at: number, depth: number): void {
    if (!this.#reads(at, 0x7b)) return;
    let code = 0;
    for (let count = 0; count < 8; count += 1) {
      const next = this.#next;
      const digit = this.#hex(next, 1);
      if (digit < 0) {
        if (count > 0 && this.#reads(next, 0x7d)) this.#push(code, this.#next, depth);
        return;
      }
      code = code * 16 + digit;
    }
  }

  /** Where a backslash ends that is written as `weight` of them; -1 where there is none. */
  #backslashes(at: number, weight: number): number {
    if (this.#text.charCodeAt(at) === BACKSLASH) {
      if (weight === 1) return at + 1;
      let end = at;
      while (end < at + weight && this.#text.charCodeAt(end) === BACKSLASH) end += 1;
      this.#budget.spend(1);
      if (end === at + weight) return end;
    }
    const end = this.firstAt(at) + this.countAt(at);
    for (let each = this.firstAt(at); each < end; each += 1) {
      if (this.#codes[each] === BACKSLASH && this.#weights[each] === weight) return this.endOf(each);
    }
    return -1;
  }

  /** `&amp;`, `&#38;`, `&#x26;`, also without the semicolon: what follows may be the secret's own then. */
  #entity(at: number, depth: number): void {
    const codes: number[] = [];
    const ends: number[] = [];
    if (this.#reads(at, HASH)) this.#numbers(this.#next, codes, ends);
    else this.#names(at, codes, ends);
    // From the likeliest on: it is the one that other escapes are made of.
    for (let each = codes.length - 1; each >= 0; each -= 1) {
      const end = ends[each] ?? 0;
      const code = codes[each] ?? 0;
      // A semicolon in another spelling than `&` is more likely the next character.
      const isOwn = depth > 1 || this.#text.charCodeAt(end) === SEMICOLON;
      if (!isOwn) this.#push(code, end, depth);
      if (this.#reads(end, SEMICOLON)) this.#push(code, this.#next, depth);
      if (isOwn) this.#push(code, end, depth);
    }
  }

  #names(at: number, codes: number[], ends: number[]): void {
    let node = this.#nextOf(entityNames(), at);
    while (node) {
      const end = this.#next;
      for (const code of node.codes) {
        codes.push(code);
        ends.push(end);
      }
      this.#budget.spend(1);
      node = this.#nextOf(node, end);
    }
  }

  /** The names that go on with the letter that is here. */
  #nextOf(node: NameNode, at: number): NameNode | undefined {
    this.#next = at + 1;
    let next = node.next.get(this.#text.charCodeAt(at));
    const end = this.firstAt(at) + this.countAt(at);
    for (let each = this.firstAt(at); !next && each < end; each += 1) {
      next = node.next.get(this.codeOf(each));
      this.#next = this.endOf(each);
    }
    return next;
  }

  #numbers(at: number, codes: number[], ends: number[]): void {
    const isHex = this.#readsLetter(at, 0x78);
    const base = isHex ? 16 : 10;
    let end = isHex ? this.#next : at;
    // Behind plain digits an escaped one is more likely the next character than a further digit.
    let likely = 0;
    let value = 0;
    for (let wasPlain = false, count = 0; ; count += 1) {
      const digit = this.#hex(end, 1);
      if (digit < 0 || digit >= base) {
        if (value > 0 || count === 0) break;
        codes.push(0);
        ends.push(end);
        break;
      }
      const isPlain = this.#next === end + 1;
      if (wasPlain && !isPlain && likely === 0) likely = codes.length;
      wasPlain = isPlain;
      end = this.#next;
      value = value * base + digit;
      this.#budget.spend(1);
      if (value > MAX_CODE_POINT) break;
      if (value === 0) continue;
      codes.push(value);
      ends.push(end);
    }
    codes.push(...codes.splice(0, likely));
    ends.push(...ends.splice(0, likely));
  }

  /** A number of so many hexadecimal digits, each of which may be escaped; -1 where they are not there. */
  #hex(from: number, digits: number): number {
    let at = from;
    let value = 0;
    for (let count = 0; count < digits; count += 1) {
      let digit = hexDigit(this.#text.charCodeAt(at));
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
    this.#next = at;
    return value;
  }

  /** Whether this character is here, plain or escaped. */
  #reads(at: number, code: number): boolean {
    this.#next = at + 1;
    if (this.#text.charCodeAt(at) === code) return true;
    const end = this.firstAt(at) + this.countAt(at);
    for (let each = this.firstAt(at); each < end; each += 1) {
      if (this.codeOf(each) !== code) continue;
      this.#next = this.endOf(each);
      return true;
    }
    return false;
  }

  /** The same for a letter in either case. */
  #readsLetter(at: number, lower: number): boolean {
    return this.#reads(at, lower) || this.#reads(at, lower - 0x20);
  }

  #mayEscape(code: number): boolean {
    return code === PERCENT || code === BACKSLASH || code === AMPERSAND || code >= BYTE;
  }
}

/** What `\n` and the like stand for. */
const CONTROLS: ReadonlyMap<number, number> = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: 27, '0': 0 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

const lowerCase = (code: number) => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

const isWord = (code: number) => hexDigit(code) >= 0 || (lowerCase(code) >= 0x61 && lowerCase(code) <= 0x7a);

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = lowerCase(code);
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
