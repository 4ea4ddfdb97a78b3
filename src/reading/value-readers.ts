import { FORMATS, type WireHints } from '../schemas/wire.js';
import { type IssueCollector, Messages } from './issue-collector.js';

/** A value that cannot be used; why is among the notes. */
export const UNUSABLE = Symbol('unusable');

/** Reads a value that is neither absent nor null, in place; gives it, what it stands for, or `UNUSABLE`. */
export type Reader = (value: unknown, notes: IssueCollector) => unknown;

export function textReader({ values, format, isId }: WireHints): Reader {
  const pattern = format && FORMATS[format];
  const unknown = new Messages('is not a value the standard names');
  const unformatted = new Messages(`is not of the format ${format}`);
  return (value, notes) => {
    let text: string;
    if (typeof value === 'string') text = value;
    else if (typeof value === 'number' && isExact(value, isId === true)) {
      text = String(value);
      notes.add('coerced', 'expected a text, got a number');
    } else return UNUSABLE;
    if (values && !values.has(text)) notes.add('unknown_value', unknown.of(text));
    if (pattern && !pattern.test(text)) notes.add('format', unformatted.of(text));
    return text;
  };
}

/** A larger integer has lost digits; `1.5` may have been `1.50`, which is another id but the same number. */
function isExact(value: number, isId: boolean): boolean {
  return Number.isSafeInteger(value) || (!isId && Number.isFinite(value) && !Number.isInteger(value));
}

/** Plain decimals only: `''`, `'0x10'` and `'1e3'` are numbers to JavaScript, not to a price list. */
export const DECIMAL = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

export const readNumber: Reader = (value, notes) => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : UNUSABLE;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return UNUSABLE;
  const number = Number(value);
  // Hundreds of digits.
  if (!Number.isFinite(number)) return UNUSABLE;
  notes.add('coerced', 'expected a number, got a text');
  return number;
};

export const readBoolean: Reader = (value, notes) => {
  if (typeof value === 'boolean') return value;
  if (value !== 'true' && value !== 'false') return UNUSABLE;
  notes.add('coerced', 'expected true or false, got a text');
  return value === 'true';
};
