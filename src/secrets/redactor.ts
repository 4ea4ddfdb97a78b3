import { Budget } from './budget.js';
import { maskedCopy } from './error-copy.js';
import { compilePatterns, type Patterns } from './patterns.js';
import { maskRanges } from './ranges.js';
import { findSecrets } from './search.js';

/** Replaces a text that could not be checked. */
export const WITHHELD = '[withheld: this text could not be checked for secrets]';

/** Longer texts are withheld without a search. No error page is read that far. */
const MAX_LENGTH = 1024 * 1024;

/** Enough for the tokens and rotated secrets of some weeks. */
const MAX_TEMPORARY = 32;
const NONE: readonly string[] = [];

/**
 * Masks secrets in text, in every form in which a hub may echo them: plain,
 * percent-, form-, JSON- and HTML-escaped, in base64 and hex, and any mixture.
 *
 * How a text is masked:
 *
 * 1. `patterns.ts` prepares the secrets, once per change: sorted, so that many
 *    are compared at once, with tables that rule out most positions of a text.
 * 2. `search.ts` returns the ranges of the text that are secrets. A text without
 *    `%`, `\`, `&` and `+` is searched as it is (`plain-search.ts`). In another,
 *    `escape-reader.ts` writes into `escape-table.ts` which characters the escapes
 *    at each position may stand for, and `matcher.ts` compares the secrets with
 *    every mixture of plain and escaped characters. What `digit-runs.ts` decodes
 *    from base64 and hex is searched in the same way.
 * 3. `ranges.ts` replaces each range by a mask.
 *
 * `budget.ts` limits the steps of the search, in proportion to the length of the
 * text. A text that needs more steps, or whose search fails, is withheld as a whole.
 */
export class Redactor {
  /** Secrets from the options, kept as long as the client. */
  readonly #configured = new Set<string>();
  /** The secrets that are replaced from time to time: tokens, results of secret functions. The latest last. */
  #temporary: readonly string[] = NONE;
  /** Undefined if there are no secrets. Compiled at the first text after a change. */
  #patterns: Patterns | undefined;
  #isCompiled = false;

  /** Adds a secret that is kept. It may have any length. */
  add(secret: string): void {
    if (secret === '' || this.#configured.has(secret)) return;
    this.#configured.add(secret);
    this.#isCompiled = false;
  }

  /** Adds a secret that will be replaced by another one; the last 32 of these are masked. */
  addTemporary(secret: string): void {
    if (secret === '' || this.#configured.has(secret)) return;
    const others = this.#temporary.filter((other) => other !== secret);
    if (others.length === this.#temporary.length) this.#isCompiled = false;
    this.#temporary = [...others, secret].slice(-MAX_TEMPORARY);
  }

  /** The text with every secret masked, or `WITHHELD` if that is not possible. Never throws. */
  mask(text: string): string {
    try {
      if (text === WITHHELD) return text;
      if (typeof text !== 'string' || text.length > MAX_LENGTH) return WITHHELD;
      const patterns = this.#compiled();
      if (!patterns) return text;
      const ranges = findSecrets(text, patterns, new Budget(text.length));
      return ranges.length === 0 ? text : maskRanges(text, ranges, patterns.mask);
    } catch {
      return WITHHELD;
    }
  }

  /** A copy of another library's error with masked name, message, stack, codes and causes, and no other field. Never throws. */
  maskError(error: unknown): unknown {
    return maskedCopy(error, (text) => this.mask(text as string));
  }

  #compiled(): Patterns | undefined {
    if (!this.#isCompiled) this.#patterns = compilePatterns([...this.#configured, ...this.#temporary]);
    this.#isCompiled = true;
    return this.#patterns;
  }
}
