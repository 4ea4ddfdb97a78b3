import * as z from 'zod';
import { hintsOf } from '../schemas/wire.js';

/** A key of an object as its schema has it. */
export interface Field {
  readonly key: string;
  /** Of its value, where there is one. */
  readonly schema: z.ZodType;
  /** What the value should be, in words. */
  readonly name: string;
  readonly presence: 'required' | 'expected' | 'optional' | 'defaulted';
  /** Stands in where the value is absent or unusable; undefined but for `defaulted`. */
  readonly fallback: () => unknown;
  /** Other spellings of the key. */
  readonly aliases: readonly string[];
}

/** The fields of an object, in the order of its schema. */
export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  const { aliases = {} } = hintsOf(schema);
  return Object.entries(schema.shape).map(([key, value]) => {
    const spellings = Object.keys(aliases).filter((alias) => aliases[alias] === key);
    return { key, aliases: spellings, ...presenceOf(value as z.ZodType) };
  });
}

function presenceOf(schema: z.ZodType): Omit<Field, 'key' | 'aliases'> {
  const nothing = () => undefined;
  if (schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType;
    const presence = hintsOf(schema).expected ? 'expected' : 'optional';
    return { schema: inner, name: nameOf(inner), presence, fallback: nothing };
  }
  if (schema instanceof z.ZodDefault) {
    const inner = schema.unwrap() as z.ZodType;
    const { defaultValue } = schema.def;
    // A list or an object is one of its own each time.
    const fallback =
      typeof defaultValue === 'object' ? () => structuredClone(defaultValue) : () => defaultValue;
    return { schema: inner, name: nameOf(inner), presence: 'defaulted', fallback };
  }
  return { schema, name: nameOf(schema), presence: 'required', fallback: nothing };
}

/** What a schema asks for, in words. */
export function nameOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodObject) return 'an object';
  if (schema instanceof z.ZodArray) return 'a list';
  if (hintsOf(schema).isId) return 'an id (a string or a safe integer)';
  if (schema instanceof z.ZodString) return 'a text';
  if (schema instanceof z.ZodNumber) return 'a number';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  return 'a value';
}
