import type { IssueCollector } from './issue-collector.js';

/** What a reader returns for a value that cannot be used. */
export const UNUSABLE = Symbol('unusable');

/** Reads the values of one schema. */
export interface Reader {
  readonly expects: Expectation;
  /**
   * Reads a value that is neither absent nor null, in place. Returns the value,
   * its converted form, or `UNUSABLE`.
   */
  read(value: unknown, issues: IssueCollector): unknown;
}

/**
 * The type of value that a reader expects, with the messages that name it: a
 * menu has the same deviation thousands of times.
 */
export interface Expectation {
  /** For messages: `'a number'`. */
  readonly type: string;
  readonly ifAbsent: string;
  readonly ifNull: string;
  readonly ifLeftOut: string;
}

function expectation(type: string): Expectation {
  return {
    type,
    ifAbsent: `absent; ${type} is required`,
    ifNull: `null; ${type} is required`,
    ifLeftOut: `not usable as ${type}; left out`,
  };
}

export const A_STRING = /* @__PURE__ */ expectation('a string');
export const AN_ID = /* @__PURE__ */ expectation('an id (a string or a safe integer)');
export const A_NUMBER = /* @__PURE__ */ expectation('a number');
export const A_BOOLEAN = /* @__PURE__ */ expectation('a boolean');
export const AN_OBJECT = /* @__PURE__ */ expectation('an object');
export const AN_ARRAY = /* @__PURE__ */ expectation('an array');

/** The type of a value, for messages such as `expected a number, got a string`. The value itself is never shown: it may be a customer's. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
