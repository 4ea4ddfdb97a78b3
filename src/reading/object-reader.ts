import { describeType } from './describe.js';
import { aliased, type Default, type defaulted, type FieldReader } from './fields.js';
import type { IssueCollector } from './issue-collector.js';
import { AN_OBJECT, type Reader, UNUSABLE } from './reader.js';
import { DECIMAL, isObject } from './value-readers.js';

export type Json = Record<string, unknown>;

/** How a field is read: by a function of `fields.ts`, with the other spellings of its key, or with its default. */
type Field =
  | readonly [FieldReader, Reader, aliases?: readonly string[]]
  | readonly [typeof defaulted, Reader, Default];

/** A reader of objects by a table of their fields. It is smaller than code for each field, and slower. */
export function objectReader(table: Readonly<Record<string, Field>>, bareKey?: string): Reader {
  const fields = Object.entries(table).map(([key, [read, reader, more]]) => ({ key, read, reader, more }));
  return {
    expects: AN_OBJECT,
    read(value, issues) {
      const object = objectOf(value, issues, bareKey);
      if (object === undefined) return UNUSABLE;
      for (const { key, read, reader, more } of fields) {
        const raw = object[key];
        const isUsable = Array.isArray(more)
          ? aliased(object, raw, key, reader, issues, read as FieldReader, more)
          : (read as typeof defaulted)(object, raw, key, reader, issues, more as Default);
        if (!isUsable) return UNUSABLE;
      }
      return object;
    },
  };
}

/**
 * The object that a value is or means; undefined if it means none.
 *
 * @param bareKey - the key that a bare number is read into (`15.9` becomes `{value: 15.9}`).
 */
export function objectOf(value: unknown, issues: IssueCollector, bareKey?: string): Json | undefined {
  if (isObject(value)) return value;
  const object = coerced(value, bareKey);
  if (!isObject(object)) return undefined;
  issues.report('coerced', `expected an object, got ${describeType(value)}`);
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
