import { describeValue } from './describe.js';
import type { IssueCollector } from './issue-collector.js';
import { DECIMAL, isObject } from './value-readers.js';

export type Json = Record<string, unknown>;

/**
 * The object that a value is or means; undefined if it means none.
 *
 * @param bareKey - the key that a bare number is read into (`15.9` becomes `{value: 15.9}`).
 */
export function objectOf(value: unknown, issues: IssueCollector, bareKey?: string): Json | undefined {
  if (isObject(value)) return value;
  const object = coerced(value, bareKey);
  if (!isObject(object)) return undefined;
  issues.report('coerced', `expected an object, got ${describeValue(value)}`);
  return object;
}

/** The object that another value means: the only element of an array, or the value of `bareKey`. */
function coerced(value: unknown, bareKey: string | undefined): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : undefined;
  if (bareKey === undefined) return undefined;
  return typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))
    ? { [bareKey]: value }
    : undefined;
}
