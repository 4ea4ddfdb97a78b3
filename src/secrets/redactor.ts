import { Budget } from './budget.js';
import { copyOf } from './cause.js';
import { compilePatterns, type Patterns } from './patterns.js';
import { masked } from './ranges.js';
import { findSecrets } from './search.js';

/** Shown in place of a text that could not be checked. */
export const WITHHELD = '[withheld: this text could not be checked for secrets]';

/** Longer texts are withheld without a search; no error page is read that far. */
const MAX_LENGTH = 1024 * 1024;

/** Tokens and rotated secrets of the past weeks, not of a year. */
const MAX_PASSING = 32;

/**
 * Masks secrets in text, in every spelling that a hub may echo them in: plain,
 * percent-, form-, JSON- and HTML-escaped, in base64 and hex, and any mixture.
 *
 * It finds the ranges first, then masks them once. The work is bounded by a
 * number of steps that grows linearly with the text; a text that needs more,
 * or that makes the search fail, is withheld as a whole.
 */
export class Redactor {
  /** Configured by the application: kept. */
  readonly #lasting = new Set<string>();
  /** The last ones of those that are replaced: tokens, values of secret functions. */
  readonly #passing = new Set<string>();
  /** Compiled at the first text after a change. */
  #patterns: Patterns | undefined;
  #isCompiled = false;

  /** Adds a secret that stays. Any length is accepted: what the application calls a secret is masked. */
  add(secret: string): void {
    if (secret === '' || this.#lasting.has(secret)) return;
    this.#lasting.add(secret);
    this.#isCompiled = false;
  }

  /** Adds a secret that another one will follow; the last 32 of these are masked. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret)) return;
    const isKnown = this.#passing.delete(secret);
    this.#passing.add(secret);
    if (isKnown) return;
    this.#isCompiled = false;
    if (this.#passing.size <= MAX_PASSING) return;
    for (const oldest of this.#passing) {
      this.#passing.delete(oldest);
      return;
    }
  }

  /** The text with its secrets masked, or a fixed sentence where that is not possible. Never throws. */
  text(text: string): string {
    try {
      if (text === WITHHELD) return text;
      if (typeof text !== 'string' || text.length > MAX_LENGTH) return WITHHELD;
      const patterns = this.#compiled();
      if (!patterns) return text;
      const ranges = findSecrets(text, patterns, new Budget(text.length));
      return ranges.length === 0 ? text : masked(text, ranges, patterns.mask);
    } catch {
      return WITHHELD;
    }
  }

  /** A copy of a foreign error: masked name, message, stack, codes and cause, nothing else. Never throws. */
  cause(error: unknown): unknown {
    return copyOf(error, (text) => this.text(text as string));
  }

  #compiled(): Patterns | undefined {
    if (!this.#isCompiled) this.#patterns = compilePatterns([...this.#lasting, ...this.#passing]);
    this.#isCompiled = true;
    return this.#patterns;
  }
}
