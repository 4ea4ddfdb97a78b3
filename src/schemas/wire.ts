import * as z from 'zod';

/** What the lenient reader knows of a schema beside its shape. */
export interface WireHints {
  /** The spec requires it; it may be absent all the same, and then that is an issue. */
  readonly expected?: true;
  /** Known values of an open enum; others are kept. */
  readonly values?: ReadonlySet<string>;
  readonly format?: FormatName;
  /** An id: a number here must be a safe integer, because two others may be one number to JavaScript. */
  readonly isId?: true;
  /** Of an id that may be absent: if a number cannot be its value, the whole object is unusable. */
  readonly identifies?: true;
  /** Of an object: other spellings of its keys, used while the right one is absent. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Of an object: the key a bare value stands for (`15.9` for `{value: 15.9}`). */
  readonly bareKey?: string;
  /** Of an array: an element whose value under this key is a list stands for one element each. */
  readonly spreadKey?: string;
}

const hintsBySchema = new WeakMap<z.ZodType, WireHints>();

export function hintsOf(schema: z.ZodType): WireHints {
  return hintsBySchema.get(schema) ?? {};
}

/** Attaches hints to a schema and gives it back. */
export function hinted<Schema extends z.ZodType>(schema: Schema, hints: WireHints): Schema {
  hintsBySchema.set(schema, hints);
  return schema;
}

export type FormatName =
  | 'uuid'
  | 'datetime'
  | 'date'
  | 'time'
  | 'currency'
  | 'window'
  | 'cnpj'
  | 'merchantId';

/** Formats are issues, never failures: real ids are no UUIDs and real times carry `.SSSZ`. */
export const FORMATS: Readonly<Record<FormatName, RegExp>> = Object.freeze({
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  datetime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  currency: /^[A-Z]{3}$/,
  window: /^\d+_MINUTES$/,
  cnpj: /^\d{14}$/,
  merchantId: /^\d{14}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
});

/** A text of a format; another text is kept, and noted. */
export function formatted(format: FormatName) {
  return hinted(z.string(), { format });
}

/** An id or a code that others refer to; its own schema, because hints belong to a schema object. */
export function id(hints: Pick<WireHints, 'format' | 'identifies'> = {}) {
  return hinted(z.string(), { ...hints, isId: true });
}

/** One of the values the standard names, or any other: new ones may come at any time. */
export function openEnum<const Value extends string>(values: readonly Value[]) {
  const schema = z.string() as unknown as z.ZodType<Value | (string & {}), Value | (string & {})>;
  return hinted(schema, { values: new Set<string>(values) });
}

/** Required by the spec and often missing in real documents: typed as optional, noted when absent. */
export function expected<Schema extends z.ZodType>(schema: Schema) {
  return hinted(schema.optional(), { expected: true });
}

/**
 * An object of the wire: keys it does not name are kept at run time and left
 * out of its type, so that a misspelt key does not compile.
 */
export function wireObject<const Shape extends z.ZodRawShape>(shape: Shape, hints: WireHints = {}) {
  return hinted(z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>, hints);
}

/** All of a document as it comes: the client never changes it, nor should its reader. */
export type DeepReadonly<T> = T extends string | number | boolean | undefined | null
  ? T
  : T extends ReadonlyArray<infer Element>
    ? ReadonlyArray<DeepReadonly<Element>>
    : T extends object
      ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
      : T;
