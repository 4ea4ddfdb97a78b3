import type { Budget } from './budget.js';
import {
  AMPERSAND,
  BACKSLASH,
  BYTE,
  CONTROLS,
  HASH,
  hexDigit,
  isOpening,
  isWord,
  PERCENT,
  PLUS,
} from './characters.js';
import { readEntity } from './html-escapes.js';
import type { Patterns } from './patterns.js';
import { type EscapedText, Readings } from './readings.js';

/** Escapes of escapes (`%2525`, `&amp;amp;`) are followed so deep. */
const MAX_LAYERS = 8;
/** `JSON.stringify` six times makes 64 backslashes of one. */
const MAX_BACKSLASHES = 64;
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
  /** What has been read. */
  readonly readings: Readings;
  readonly #text: string;
  readonly #patterns: Patterns;
  readonly #budget: Budget;

  constructor(view: EscapedText, patterns: Patterns, budget: Budget) {
    this.#text = view.text;
    this.readings = new Readings(view, patterns, budget);
    this.isBytes = view.isBytes;
    this.#patterns = patterns;
    this.#budget = budget;
  }

  /** Reads a place, once all places behind it have been read; how many readings it has. */
  read(at: number): number {
    const unit = this.#text.charCodeAt(at);
    if (!this.#mayBegin(unit, at + 1)) return 0;
    if (unit === PERCENT && this.#isFinal(at)) return 0;
    const { readings } = this;
    const first = readings.begin();
    if (unit >= 0x80) this.#byte(unit, at + 1, 1);
    else this.#unescape(unit, at + 1, 1, 1);
    for (let each = first; each < readings.length; each += 1) {
      const code = this.readings.codeOf(each);
      if ((isOpening(code) || code === PLUS) && this.#mayBegin(code, this.readings.endOf(each))) {
        this.#unescape(code, this.readings.endOf(each), readings.depthOf(each) + 1, readings.weightOf(each));
      }
    }
    this.#budget.spend(1);
    return this.readings.keep(at);
  }

  /** Whether the place is a `%25` behind which no escape goes on, and no secret has a `%`. */
  #isFinal(at: number): boolean {
    const text = this.#text;
    return (
      !this.#patterns.hasPercent &&
      text.charCodeAt(at + 1) === 0x32 &&
      text.charCodeAt(at + 2) === 0x35 &&
      !this.#mayBegin(PERCENT, at + 3)
    );
  }

  /** Gives the first of a run of backslashes the readings of the last one. */
  share(last: number, first: number): number {
    this.readings.begin();
    this.#copy(last, true, 1);
    return this.readings.keep(first);
  }

  /** A quick look at the next character, which settles most places. */
  #mayBegin(unit: number, next: number): boolean {
    if (unit !== PERCENT && unit !== AMPERSAND) return true;
    const following = this.#text.charCodeAt(next);
    const isOne =
      unit === PERCENT
        ? hexDigit(following) >= 0 || following === 0x75
        : following === HASH || isWord(following);
    return isOne || this.readings.countAt(next) > 0;
  }

  /** Readings of a place whose reading so far is this character up to `end`. */
  #unescape(code: number, end: number, depth: number, weight: number): void {
    if (depth > MAX_LAYERS) return;
    if (code === PERCENT) this.#percent(end, depth);
    else if (code === BACKSLASH) this.#backslash(end, depth, weight);
    else if (code === AMPERSAND) readEntity(this.readings, end, depth, this.#budget);
    else if (code === PLUS && this.#patterns.hasBlank) this.readings.add(0x20, end, depth);
  }

  /** `%41`, `%C3%A9`, `%E9`, `%u0041`. */
  #percent(at: number, depth: number): void {
    const value = this.readings.hex(at, 2);
    if (value >= 0) this.#byte(value, this.readings.next, depth);
    else if (this.readings.readsLetter(at, 0x75)) {
      const unit = this.readings.hex(this.readings.next, 4);
      if (unit >= 0) this.readings.add(unit, this.readings.next, depth);
    }
  }

  /** A byte as a character of ASCII or Latin-1, or as the beginning of one of UTF-8. */
  #byte(byte: number, end: number, depth: number): void {
    if (byte < 0x80) this.readings.add(byte, end, depth);
    if (byte < 0x80 || this.#patterns.isAscii) return;
    this.readings.add(BYTE + byte, end, depth);
    this.readings.add(byte, end, depth);
    const more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    if (more === 0) return;
    let code = byte & (0x3f >> more);
    let at = end;
    for (let count = 0; count < more; count += 1) {
      const next = this.#continuation(at);
      if (next < 0) return;
      code = (code << 6) | next;
      at = this.readings.next;
    }
    this.readings.add(code, at, depth);
  }

  #continuation(at: number): number {
    const end = this.readings.firstAt(at) + this.readings.countAt(at);
    for (let each = this.readings.firstAt(at); each < end; each += 1) {
      const byte = this.readings.codeOf(each) - BYTE;
      if (byte < 0x80 || byte > 0xbf) continue;
      this.readings.next = this.readings.endOf(each);
      return byte & 0x3f;
    }
    return -1;
  }

  /** `\"`, `\n`, `\u0041`, `\u{41}`, `\x41` behind any number of backslashes, and `\\`. */
  #backslash(at: number, depth: number, weight: number): void {
    if (weight === 1) {
      const unit = this.#text.charCodeAt(at);
      if (!isOpening(unit)) this.#letter(unit, at + 1, depth);
      const last = this.readings.firstAt(at) + this.readings.countAt(at);
      for (let each = this.readings.firstAt(at); each < last; each += 1) {
        const code = this.readings.codeOf(each);
        if (!isOpening(code) && code < BYTE) this.#letter(code, this.readings.endOf(each), depth);
      }
      // Another backslash before an escape changes nothing: it was escaped together with the first.
      // A plain one goes with plain ones, and one that is escaped itself with such: those take two steps to read.
      const arePlain = depth === 1 && unit === BACKSLASH;
      this.#copy(at, depth === 1, arePlain ? 1 : 2);
    }
    if (!this.#patterns.hasBackslash || weight >= MAX_BACKSLASHES) return;
    this.#doubled(at, depth, weight);
  }

  #copy(from: number, withBackslash: boolean, leastDepth: number): void {
    const end = this.readings.firstAt(from) + this.readings.countAt(from);
    for (let each = this.readings.firstAt(from); each < end; each += 1) {
      const code = this.readings.codeOf(each);
      const depth = this.readings.depthOf(each);
      // One that stands for several backslashes begins anew here.
      if (code === BACKSLASH && !(withBackslash && this.readings.weightOf(each) === 1)) continue;
      if (depth >= leastDepth) this.readings.add(code, this.readings.endOf(each), depth);
    }
  }

  #letter(letter: number, at: number, depth: number): void {
    switch (letter) {
      case 0x75: {
        const unit = this.readings.hex(at, 4);
        if (unit >= 0) this.readings.add(unit, this.readings.next, depth);
        else this.#braced(at, depth);
        return;
      }
      case 0x78: {
        const byte = this.readings.hex(at, 2);
        if (byte >= 0) this.#byte(byte, this.readings.next, depth);
        return;
      }
      default: {
        if (Number.isNaN(letter)) return;
        const control = CONTROLS.get(letter);
        if (control !== undefined) this.readings.add(control, at, depth);
        else if (letter !== BACKSLASH && !isWord(letter)) this.readings.add(letter, at, depth);
      }
    }
  }

  /** `\u{1f600}` */
  #braced(at: number, depth: number): void {
    if (!this.readings.reads(at, 0x7b)) return;
    let code = 0;
    for (let count = 0; count < 8; count += 1) {
      const next = this.readings.next;
      const digit = this.readings.hex(next, 1);
      if (digit < 0) {
        if (count > 0 && this.readings.reads(next, 0x7d)) this.readings.add(code, this.readings.next, depth);
        return;
      }
      code = code * 16 + digit;
    }
  }

  /** A backslash before another one that is written as many times as it. */
  #doubled(at: number, depth: number, weight: number): void {
    let run = at;
    while (run < at + weight && this.#text.charCodeAt(run) === BACKSLASH) run += 1;
    this.#budget.spend(1);
    if (run === at + weight) this.readings.add(BACKSLASH, run, depth, weight * 2);
    const end = this.readings.firstAt(at) + this.readings.countAt(at);
    for (let each = this.readings.firstAt(at); each < end; each += 1) {
      if (this.readings.codeOf(each) === BACKSLASH && this.readings.weightOf(each) === weight) {
        this.readings.add(BACKSLASH, this.readings.endOf(each), depth, weight * 2);
      }
    }
  }
}
