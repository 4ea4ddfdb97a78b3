import { FORMATS, type WireHints } from '../schemas/wire.js';
import { QuotingMessages } from './describe.js';
import type { IssueCollector } from './issue-collector.js';

/** What a reader returns for a value that cannot be used. */
export const UNUSABLE = Symbol('unusable');

/**
 * Reads a value that is neither absent nor null, in place. Returns the value,
 * its converted form, or `UNUSABLE`.
 */
export type Reader = (value: unknown, issues: IssueCollector) => unknown;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringReader({ values, format, isId }: WireHints): Reader {
  const pattern = format && FORMATS[format];
  const unknownValue = new QuotingMessages('is not a value of the standard');
  const wrongFormat = new QuotingMessages(`does not have the format ${format}`);
  return (value, issues) => {
    let text: string;
    if (typeof value === 'string') text = value;
    else if (typeof value === 'number' && isExact(value, isId === true)) {
      text = String(value);
      issues.report('coerced', 'expected a string, got a number');
    } else return UNUSABLE;
    if (values && !values.has(text)) issues.report('unknown_value', unknownValue.of(text));
    if (pattern && !pattern.test(text)) issues.report('format', wrongFormat.of(text));
    return text;
  };
}

/** A larger integer has lost digits. `1.5` may have been `1.50`: the same number, but another id. */
function isExact(value: number, isId: boolean): boolean {
  return Number.isSafeInteger(value) || (!isId && Number.isFinite(value) && !Number.isInteger(value));
}

/** Plain decimals only. JavaScript also converts `''`, `'0x10'` and `'1e3'` to numbers; a price list does not mean that. */
export const DECIMAL = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

export const readNumber: Reader = (value, issues) => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : UNUSABLE;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return UNUSABLE;
  const number = Number(value);
  // A string of hundreds of digits overflows to Infinity.
  if (!Number.isFinite(number)) return UNUSABLE;
  issues.report('coerced', 'expected a number, got a string');
  return number;
};

export const readBoolean: Reader = (value, issues) => {
  if (typeof value === 'boolean') return value;
  if (value !== 'true' && value !== 'false') return UNUSABLE;
  issues.report('coerced', 'expected a boolean, got a string');
  return value === 'true';
};
