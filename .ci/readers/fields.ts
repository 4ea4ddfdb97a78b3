import * as z from 'zod';
import { hintsOf } from '../../src/schemas/wire.js';

/** One key of an object schema. */
export interface Field {
  readonly key: string;
  /** The schema of a value that is present. */
  readonly schema: z.ZodType;
  /** The function of `src/reading/fields.ts` that reads a value that is not simply valid. */
  readonly presence:
    | 'required'
    | 'expected'
    | 'expectedBySpec'
    | 'identifying'
    | 'optional'
    | 'decisive'
    | 'decisiveBySpec'
    | 'defaulted';
  /** The default of a `defaulted` field. */
  readonly fallback?: unknown;
  /** Whether only the spec requires the field. */
  readonly bySpec: boolean;
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

function unwrap(schema: z.ZodType): Pick<Field, 'schema' | 'presence' | 'fallback' | 'bySpec'> {
  const { expected: isExpected, isDecisive, bySpec = false } = hintsOf(schema);
  if (schema instanceof z.ZodDefault) {
    const { defaultValue } = schema.def;
    return { schema: schema.unwrap() as z.ZodType, presence: 'defaulted', fallback: defaultValue, bySpec };
  }
  if (!(schema instanceof z.ZodOptional)) return { schema, presence: 'required', bySpec };
  const inner = schema.unwrap() as z.ZodType;
  if (!isExpected) return { schema: inner, presence: isDecisive ? 'decisive' : 'optional', bySpec };
  if (isDecisive) return { schema: inner, presence: 'decisiveBySpec', bySpec };
  const presence = bySpec ? 'expectedBySpec' : 'expected';
  return { schema: inner, presence: hintsOf(inner).identifies ? 'identifying' : presence, bySpec };
}
