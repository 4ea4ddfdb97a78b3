import * as z from 'zod';
import { hintsOf } from '../schemas/wire.js';

/** One key of an object schema. */
export interface Field {
  readonly key: string;
  /** The schema of a value that is present. */
  readonly schema: z.ZodType;
  /** The type of the value, for messages: `'a number'`. */
  readonly type: string;
  readonly presence: 'required' | 'expected' | 'optional' | 'defaulted';
  /** Returns what replaces an absent or unusable value: the default of a `defaulted` field, otherwise undefined. */
  readonly fallback: () => unknown;
  /** Other spellings of the key. */
  readonly aliases: readonly string[];
}

/** The fields of an object schema, in its order. */
export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const { aliases = {} } = hintsOf(schema);
  return Object.entries(schema.shape).map(([key, value]) => {
    const spellings = Object.keys(aliases).filter((alias) => aliases[alias] === key);
    return { key, aliases: spellings, ...unwrap(value as z.ZodType) };
  });
}

function unwrap(schema: z.ZodType): Omit<Field, 'key' | 'aliases'> {
  const nothing = () => undefined;
  if (schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType;
    const presence = hintsOf(schema).expected ? 'expected' : 'optional';
    return { schema: inner, type: describeType(inner), presence, fallback: nothing };
  }
  if (schema instanceof z.ZodDefault) {
    const inner = schema.unwrap() as z.ZodType;
    const { defaultValue } = schema.def;
    // A default array or object must not be shared between documents.
    const fallback =
      typeof defaultValue === 'object' ? () => structuredClone(defaultValue) : () => defaultValue;
    return { schema: inner, type: describeType(inner), presence: 'defaulted', fallback };
  }
  return { schema, type: describeType(schema), presence: 'required', fallback: nothing };
}

/** The type that a schema expects, for messages. */
export function describeType(schema: z.ZodType): string {
  if (schema instanceof z.ZodObject) return 'an object';
  if (schema instanceof z.ZodArray) return 'an array';
  if (hintsOf(schema).isId) return 'an id (a string or a safe integer)';
  if (schema instanceof z.ZodString) return 'a string';
  if (schema instanceof z.ZodNumber) return 'a number';
  if (schema instanceof z.ZodBoolean) return 'a boolean';
  return 'a value';
}
