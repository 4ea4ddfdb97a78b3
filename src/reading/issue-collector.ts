import type { Issue } from '../errors.js';

/**
 * What a lenient reading noted.
 *
 * - `missing`: the spec requires it; left absent.
 * - `defaulted`: absent, the standard's default stands in.
 * - `null`: null, which counts as absent.
 * - `coerced`: another type of the same meaning (`"15.90"` for 15.9).
 * - `alias`: under another spelling of its key.
 * - `unknown_value`: not among the values the standard names; kept.
 * - `format`: not in the format the spec shows; kept.
 * - `invalid`: of a type that means nothing here; taken out.
 * - `left_out`: an entry that cannot be used.
 */
export type IssueCode =
  | 'missing'
  | 'defaulted'
  | 'null'
  | 'coerced'
  | 'alias'
  | 'unknown_value'
  | 'format'
  | 'invalid'
  | 'left_out';

/**
 * More than the largest menu gives; a document of millions of unusable entries
 * costs a hub nothing to send, and one issue for each would fill the memory.
 */
export const MAX_ISSUES = 100_000;

/** Stands behind the last issue where not all are listed. */
export const NOT_ALL: Issue = Object.freeze({
  path: [],
  code: 'left_out',
  message: `there are more than ${MAX_ISSUES} issues; the others are not listed`,
});

type Key = string | number;

/** The issues of one reading, and the path at which it stands. */
export class IssueCollector {
  #issues: Issue[] = [];
  readonly #path: Key[] = [];
  #depth = 0;

  /** Gives the issues of the reading, and is ready for the next. */
  take(): Issue[] {
    const issues = this.#issues;
    this.#issues = [];
    this.#depth = 0;
    return issues;
  }

  get count(): number {
    return this.#issues.length;
  }

  enter(key: Key): void {
    this.#path[this.#depth] = key;
    this.#depth += 1;
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Of the value at which the reading stands. */
  add(code: IssueCode, message: string): void {
    const { length } = this.#issues;
    if (length < MAX_ISSUES) this.#issues.push({ path: prefix(this.#path, this.#depth), code, message });
    else if (length === MAX_ISSUES) this.#issues.push(NOT_ALL);
  }

  /** Of the value under a key of it. */
  addAt(key: Key, code: IssueCode, message: string): void {
    this.enter(key);
    this.add(code, message);
    this.leave();
  }

  /** Takes back all but the first so many. */
  cut(count: number): void {
    this.#issues.length = count;
  }
}

/** The first so many keys; as a literal where most paths are, in tens of thousands of which a call each tells. */
function prefix(keys: readonly Key[], count: number): Key[] {
  const at = keys as readonly [Key, Key, Key, Key, Key];
  if (count === 3) return [at[0], at[1], at[2]];
  if (count === 5) return [at[0], at[1], at[2], at[3], at[4]];
  return keys.slice(0, count);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Messages that quote the document, made once: a menu says the same a thousand times. */
export class Messages {
  readonly #made = new Map<string, string>();
  readonly #words: string;

  /** @param words - follow the quoted text. */
  constructor(words: string) {
    this.#words = words;
  }

  of(text: string): string {
    const known = this.#made.get(text);
    if (known !== undefined) return known;
    const message = `${quote(text)} ${this.#words}`;
    if (this.#made.size >= 100) this.#made.clear();
    this.#made.set(text, message);
    return message;
  }
}

/** Short texts as they are, long ones not at all: half a secret would not be recognized as one. */
export function quote(text: string): string {
  return text.length > 60 ? `a text of ${text.length} characters` : JSON.stringify(text);
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value.length > 60 ? quote(value) : `the text ${quote(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'boolean' ? String(value) : 'an object';
}
