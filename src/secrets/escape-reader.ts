import type { Budget } from './budget.js';
import {
  AMPERSAND,
  BACKSLASH,
  beginsEscape,
  CONTROL_ESCAPES,
  HASH,
  hexValue,
  isLetterOrDigit,
  PERCENT,
  PLUS,
  RAW_BYTE,
} from './characters.js';
import { EscapeTable, type TextPart } from './escape-table.js';
import { readEntity } from './html-entities.js';
import type { Patterns } from './patterns.js';

/** How deep escapes are nested that are read: `%2525` and `&amp;amp;` are two deep. */
const MAX_DEPTH = 8;
/** `JSON.stringify` six times makes 64 backslashes of one. */
const MAX_BACKSLASHES = 64;

/**
 * Finds the escapes of a text and what they may stand for: percent, `+`,
 * backslash and HTML escapes, also nested in one another.
 *
 * Positions are read from the last to the first. Then the escapes behind a
 * position are known when it is read: in `%2541` the escape at 0 is made of the
 * `%` that `%25` stands for, and of `41`.
 */
export class EscapeReader {
  readonly table: EscapeTable;
  readonly #text: string;
  readonly #patterns: Patterns;
  readonly #budget: Budget;

  constructor(part: TextPart, patterns: Patterns, budget: Budget) {
    this.#text = part.text;
    this.table = new EscapeTable(part, patterns, budget);
    this.#patterns = patterns;
    this.#budget = budget;
  }

  /** Adds the escapes that begin at a position. All positions behind it must have been read. */
  read(at: number): void {
    const { table } = this;
    const unit = this.#text.charCodeAt(at);
    if (!this.#mayBegin(unit, at + 1)) return;
    if (unit === PERCENT && this.#isOnlyPercent(at)) return;
    const first = table.begin();
    if (unit >= 0x80) this.#addByte(unit, at + 1, 1);
    else this.#addEscapes(unit, at + 1, 1, 1);
    // What was added may begin an escape again; the loop also reaches what it adds itself.
    for (let each = first; each < table.length; each += 1) {
      const code = table.codeOf(each);
      if ((beginsEscape(code) || code === PLUS) && this.#mayBegin(code, table.endOf(each))) {
        this.#addEscapes(code, table.endOf(each), table.depthOf(each) + 1, table.weightOf(each));
      }
    }
    this.#budget.spend(1);
    table.assignTo(at);
  }

  /**
   * Assigns the escapes of the last backslash of a run to the first one. It is
   * enough for all of them: what a run escapes is behind its last backslash.
   */
  copyToFirstBackslash(last: number, first: number): void {
    this.table.begin();
    this.#copyFrom(last, true, 1);
    this.table.assignTo(first);
  }

  /** Whether it is a `%25` that stands for `%` and nothing else, while no secret contains `%`. */
  #isOnlyPercent(at: number): boolean {
    const text = this.#text;
    return (
      !this.#patterns.hasPercent &&
      text.charCodeAt(at + 1) === 0x32 &&
      text.charCodeAt(at + 2) === 0x35 &&
      !this.#mayBegin(PERCENT, at + 3)
    );
  }

  /** Whether an escape may begin with this character, by a look at the next one. It rules out most positions. */
  #mayBegin(unit: number, next: number): boolean {
    if (unit !== PERCENT && unit !== AMPERSAND) return true;
    const following = this.#text.charCodeAt(next);
    const mayFollow =
      unit === PERCENT
        ? hexValue(following) >= 0 || following === 0x75
        : following === HASH || isLetterOrDigit(following);
    return mayFollow || this.table.hasAt(next);
  }

  /** Adds the escapes that begin with this character, which itself ends at `end`. */
  #addEscapes(code: number, end: number, depth: number, weight: number): void {
    if (depth > MAX_DEPTH) return;
    if (code === PERCENT) this.#addPercent(end, depth);
    else if (code === BACKSLASH) this.#addBackslash(end, depth, weight);
    else if (code === AMPERSAND) readEntity(this.table, end, depth, this.#budget);
    else if (code === PLUS && this.#patterns.hasBlank) this.table.add(0x20, end, depth);
  }

  /** `%41`, `%C3%A9`, `%E9`, `%u0041`. */
  #addPercent(at: number, depth: number): void {
    const value = this.table.readHex(at, 2);
    if (value >= 0) this.#addByte(value, this.table.readEnd, depth);
    else if (this.table.matchesLetter(at, 0x75)) {
      const unit = this.table.readHex(this.table.readEnd, 4);
      if (unit >= 0) this.table.add(unit, this.table.readEnd, depth);
    }
  }

  /** A byte: a character of ASCII or Latin-1, or the first byte of a UTF-8 sequence. */
  #addByte(byte: number, end: number, depth: number): void {
    if (byte < 0x80) this.table.add(byte, end, depth);
    if (byte < 0x80 || this.#patterns.isAscii) return;
    this.table.add(RAW_BYTE + byte, end, depth);
    this.table.add(byte, end, depth);
    const continuationBytes = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    if (continuationBytes === 0) return;
    let code = byte & (0x3f >> continuationBytes);
    let at = end;
    for (let count = 0; count < continuationBytes; count += 1) {
      const bits = this.#readContinuationByte(at);
      if (bits < 0) return;
      code = (code << 6) | bits;
      at = this.table.readEnd;
    }
    this.table.add(code, at, depth);
  }

  /** The six bits of an escaped continuation byte of UTF-8; -1: no such escape begins here. */
  #readContinuationByte(at: number): number {
    const stop = this.table.endAt(at);
    for (let each = this.table.firstAt(at); each < stop; each += 1) {
      const byte = this.table.codeOf(each) - RAW_BYTE;
      if (byte < 0x80 || byte > 0xbf) continue;
      this.table.readEnd = this.table.endOf(each);
      return byte & 0x3f;
    }
    return -1;
  }

  /** `\"`, `\n`, `\u0041`, `\u{41}`, `\x41` behind any number of backslashes, and `\\`. */
  #addBackslash(at: number, depth: number, weight: number): void {
    if (weight === 1) {
      const unit = this.#text.charCodeAt(at);
      if (!beginsEscape(unit)) this.#addLetter(unit, at + 1, depth);
      const stop = this.table.endAt(at);
      for (let each = this.table.firstAt(at); each < stop; each += 1) {
        const code = this.table.codeOf(each);
        if (!beginsEscape(code) && code < RAW_BYTE) this.#addLetter(code, this.table.endOf(each), depth);
      }
      // One more backslash before an escape changes nothing: an encoder has escaped both. It has written both
      // in the same way, so a plain one is copied to plain ones, and an escaped one to those at least two deep.
      const arePlain = depth === 1 && unit === BACKSLASH;
      this.#copyFrom(at, depth === 1, arePlain ? 1 : 2);
    }
    if (!this.#patterns.hasBackslash || weight >= MAX_BACKSLASHES) return;
    this.#addDoubledBackslash(at, depth, weight);
  }

  /** Adds the escapes of another position that are at least this deep. */
  #copyFrom(at: number, withBackslash: boolean, minDepth: number): void {
    const stop = this.table.endAt(at);
    for (let each = this.table.firstAt(at); each < stop; each += 1) {
      const code = this.table.codeOf(each);
      const depth = this.table.depthOf(each);
      // A doubled backslash is not copied: `#addDoubledBackslash` finds those that begin here.
      if (code === BACKSLASH && !(withBackslash && this.table.weightOf(each) === 1)) continue;
      if (depth >= minDepth) this.table.add(code, this.table.endOf(each), depth);
    }
  }

  /** What a backslash and this letter stand for. */
  #addLetter(letter: number, at: number, depth: number): void {
    switch (letter) {
      case 0x75: {
        const unit = this.table.readHex(at, 4);
        if (unit >= 0) this.table.add(unit, this.table.readEnd, depth);
        else this.#addBraced(at, depth);
        return;
      }
      case 0x78: {
        const byte = this.table.readHex(at, 2);
        if (byte >= 0) this.#addByte(byte, this.table.readEnd, depth);
        return;
      }
      default: {
        if (Number.isNaN(letter)) return;
        const control = CONTROL_ESCAPES.get(letter);
        if (control !== undefined) this.table.add(control, at, depth);
        else if (letter !== BACKSLASH && !isLetterOrDigit(letter)) this.table.add(letter, at, depth);
      }
    }
  }

  /** `\u{1f600}`, from the brace on. */
  #addBraced(at: number, depth: number): void {
    if (!this.table.matches(at, 0x7b)) return;
    let code = 0;
    for (let count = 0; count < 8; count += 1) {
      const next = this.table.readEnd;
      const digit = this.table.readHex(next, 1);
      if (digit < 0) {
        if (count > 0 && this.table.matches(next, 0x7d)) this.table.add(code, this.table.readEnd, depth);
        return;
      }
      code = code * 16 + digit;
    }
  }

  /** Backslashes that stand for one, followed by as many that stand for another: each time JSON is nested, both are doubled. */
  #addDoubledBackslash(at: number, depth: number, weight: number): void {
    let run = at;
    while (run < at + weight && this.#text.charCodeAt(run) === BACKSLASH) run += 1;
    this.#budget.spend(1);
    if (run === at + weight) this.table.add(BACKSLASH, run, depth, weight * 2);
    const stop = this.table.endAt(at);
    for (let each = this.table.firstAt(at); each < stop; each += 1) {
      if (this.table.codeOf(each) === BACKSLASH && this.table.weightOf(each) === weight) {
        this.table.add(BACKSLASH, this.table.endOf(each), depth, weight * 2);
      }
    }
  }
}
