import { shownError } from '../errors/error-copy.js';
import { encodingsOf } from './encodings.js';

/** Masks secrets in a string of the hub, and cuts it. */
export type Quote = (text: string, maxLength?: number) => string;

/** Longer texts are cut before they are searched. */
const MAX_LENGTH = 65_536;

/** Of the secrets that are replaced: enough for the tokens and rotated secrets of some weeks. */
export const MAX_TEMPORARY = 32;

/**
 * A secret is found by its beginning, and masked as far as the text agrees with it. The bound keeps the search linear:
 * a hub chooses the token and can send it with each of its characters changed.
 */
const MAX_NEEDLE = 64;

/** How many characters of a secret are enough to be masked at the end of a text that was cut. */
const MIN_REST = 4;

const NONE: readonly string[] = [];

/**
 * Masks the secrets of one client in the few strings that are quoted from elsewhere: a hub's title, the message of a
 * network error, ids. Everything else that is shown is chosen, so nothing else is searched.
 */
export class Redactor {
  /** Secrets from the options, kept as long as the client. */
  readonly #configured = new Set<string>();
  /** The secrets that are replaced from time to time: tokens, results of secret functions. The latest last. */
  #temporary = NONE;
  /** What is searched for; undefined after a change. */
  #spellings: readonly string[] | undefined;

  /** Adds secrets that are kept. */
  add(...secrets: readonly string[]): void {
    for (const secret of secrets) if (secret !== '') this.#configured.add(secret);
    this.#spellings = undefined;
  }

  /** Adds secrets that will be replaced by others; the last 32 of these are masked. */
  addTemporary(...secrets: readonly string[]): void {
    const isKnown = (secret: string) => secret === '' || this.#configured.has(secret);
    const others = this.#temporary.filter((other) => !secrets.includes(other));
    this.#temporary = [...others, ...secrets.filter((each) => !isKnown(each))].slice(-MAX_TEMPORARY);
    this.#spellings = undefined;
  }

  /**
   * At most `maxLength` characters of a text, with every secret masked. Never throws; linear in the length of the text.
   */
  mask(text: string, maxLength = MAX_LENGTH): string {
    if (typeof text !== 'string') return '';
    this.#spellings ??= [...new Set([...this.#configured, ...this.#temporary].flatMap(encodingsOf))];
    const cut = text.slice(0, maxLength);
    const found = this.#spellings.flatMap((spelling) => rangesOf(cut, spelling));
    if (cut.length < text.length) found.push(...this.#spellings.flatMap((each) => restOf(cut, each)));
    if (found.length === 0) return cut;
    // A mask that contains a short secret would show it.
    const mask = this.#spellings.some((each) => '[secret]'.includes(each)) ? '***' : '[secret]';
    return withMasks(cut, found, mask);
  }

  /** A copy of another library's error with its name, message, stack, codes and causes, masked, and no other field. Never throws. */
  maskError(error: unknown): unknown {
    return shownError(error, (text) => this.mask(text));
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where a spelling occurs, or a beginning of it of `MAX_NEEDLE` characters. */
function rangesOf(text: string, spelling: string): Range[] {
  const ranges: Range[] = [];
  const needle = spelling.slice(0, MAX_NEEDLE);
  for (let start = text.indexOf(needle); start !== -1; ) {
    let length = needle.length;
    while (length < spelling.length && text[start + length] === spelling[length]) length += 1;
    ranges.push({ start, end: start + length });
    start = text.indexOf(needle, start + length);
  }
  return ranges;
}

function restOf(text: string, spelling: string): Range[] {
  for (let length = Math.min(MAX_NEEDLE, spelling.length) - 1; length >= MIN_REST; length -= 1) {
    if (text.endsWith(spelling.slice(0, length))) return [{ start: text.length - length, end: text.length }];
  }
  return [];
}

function withMasks(text: string, ranges: Range[], mask: string): string {
  let masked = '';
  let at = 0;
  for (const { start, end } of ranges.sort((one, other) => one.start - other.start)) {
    if (start >= at) masked += text.slice(at, start) + mask;
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}
