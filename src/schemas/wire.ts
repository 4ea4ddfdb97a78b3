import * as z from 'zod';
import type { FormatName } from './formats.js';

/** What lenient reading knows about a schema in addition to its shape. The readers are generated with it. */
export interface WireHints {
  /** The spec or the standard requires the field. It can be absent all the same, and that is an issue. */
  readonly expected?: true;
  /** Only the spec requires the field, or the format of the string: the standard does not. */
  readonly bySpec?: true;
  /** The known values of an open enum. Other values are kept. */
  readonly values?: ReadonlySet<string>;
  /** Other names of the known values, in upper case. They and the known values are read in any letter case. */
  readonly spellings?: Readonly<Record<string, string>>;
  /** The expected format of a string. Another format is an issue, and the string is kept. */
  readonly format?: FormatName;
  /** An id. A number is accepted only if it is a safe integer: two larger ids can be the same JavaScript number. */
  readonly isId?: true;
  /** Of an optional id: if its value is a number that cannot be an id, the whole object is unusable. */
  readonly identifies?: true;
  /** Of an optional field: if its value cannot be read, the whole object is unusable: without the value, it means something else. */
  readonly isDecisive?: true;
  /** Of an object: other spellings of its keys. One is used only if the right key is absent. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Of an object: the key that a bare value is read into (`15.9` becomes `{value: 15.9}`). In the elements of an array
   * it must be the key of a number.
   */
  readonly bareKey?: string;
  /** Of an array: an element that has an array under this key is read as one element per value of that array. */
  readonly spreadKey?: string;
  /** Of an array with a `spreadKey`: an element without any value there is kept, without the key. */
  readonly keepsEmpty?: true;
  /** Of an array: if an element cannot be read, the whole array is unusable: without it, the array means something else. */
  readonly isWhole?: true;
}

const hintsBySchema = new WeakMap<z.ZodType, WireHints>();

export function hintsOf(schema: z.ZodType): WireHints {
  return hintsBySchema.get(schema) ?? {};
}

/** Attaches hints to a schema and returns the schema. */
export function withHints<Schema extends z.ZodType>(schema: Schema, hints: WireHints): Schema {
  hintsBySchema.set(schema, hints);
  return schema;
}

/** A string of a format. A string of another format is kept and reported as an issue. */
export function formatted(format: FormatName) {
  return withHints(z.string(), { format });
}

/** An id, or a code that others refer to. Each call returns a new schema, because hints belong to one schema object. */
export function id(hints: Pick<WireHints, 'format' | 'identifies'> = {}) {
  return withHints(z.string(), { ...hints, isId: true });
}

// It has a name, because the published types would otherwise repeat the values six times.
/** The schema of a string with known values, which accepts any other string too. */
export interface OpenEnum<Value extends string>
  extends z.ZodType<Value | (string & {}), Value | (string & {})> {}

/** One of the known values, or any other string: the standard and the hubs add values at any time. */
export function openEnum<const Value extends string>(
  values: readonly Value[],
  hints: Pick<WireHints, 'spellings'> = {},
): OpenEnum<Value> {
  return withHints(z.string() as unknown as OpenEnum<Value>, { ...hints, values: new Set<string>(values) });
}

/** Required on paper, but often absent in real documents: optional in its type, and an issue if absent. */
export function expected<Schema extends z.ZodType>(schema: Schema) {
  return withHints(schema.optional(), { expected: true });
}

/**
 * Marks what only the spec requires: a field with `expected` or a default, whose absence is then not against the
 * standard, or the format of a string.
 */
export function bySpec<Schema extends z.ZodType>(schema: Schema): Schema {
  return withHints(schema, { ...hintsOf(schema), bySpec: true });
}

/** Marks an optional field without which the object means something else: an unreadable value makes the object unusable. */
export function decisive<Schema extends z.ZodType>(schema: Schema): Schema {
  return withHints(schema, { ...hintsOf(schema), isDecisive: true });
}

/**
 * An object of the wire format. Unknown keys are kept at run time but are not in
 * its type, so that a misspelled key does not compile.
 */
export function wireObject<Shape extends z.ZodRawShape>(shape: Shape, hints: WireHints = {}) {
  return withHints(z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>, hints);
}

/** The type with every property and array readonly, at every depth. */
export type DeepReadonly<T> = T extends string | number | boolean | undefined | null
  ? T
  : T extends ReadonlyArray<infer Element>
    ? ReadonlyArray<DeepReadonly<Element>>
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;
