import type * as z from 'zod';

/**
 * Builds a class whose instances represent one entry of a document. A getter
 * per field of the schema reads from the entry, so nothing is copied: most
 * entries of a menu of thousands are hardly looked at.
 *
 * A document that was not read by the lenient reader may hold any value. A
 * value of the wrong type counts as absent, and an absent field has its default.
 *
 * @param without - fields for which the class has its own property.
 */
export function wireEntry<Entry extends object, Without extends keyof Entry = never>(
  schema: z.ZodObject,
  without: readonly Without[] = [],
): new (
  source: Entry,
) => Omit<Entry, Without> & WireEntry<Entry> {
  class Class {
    readonly source: Entry;

    constructor(source: Entry) {
      this.source = source;
    }

    toJSON(): Entry {
      return this.source;
    }
  }
  for (const [key, field] of Object.entries(schema.shape)) {
    if ((without as readonly string[]).includes(key)) continue;
    Object.defineProperty(Class.prototype, key, { get: getterOf(key, field as z.ZodType) });
  }
  return Class as never;
}

/** What every entry of a `Menu` has beside the fields of its schema. */
export interface WireEntry<Entry> {
  /** The entry in the document, with fields that the hub has added to the standard. */
  readonly source: Entry;
  /** Returns `source`. */
  toJSON(): Entry;
}

type Getter = (this: { readonly source: object }) => unknown;

/** Each type has its own complete function, because reading a menu consists of calls of these. */
function getterOf(key: string, schema: z.ZodType): Getter {
  const { type, defaultValue } = unwrap(schema);
  switch (type) {
    case 'number':
      return function number() {
        const value = (this.source as Source)[key];
        return typeof value === 'number' && Number.isFinite(value) ? value : defaultValue;
      };
    case 'array':
      return function array() {
        const value = (this.source as Source)[key];
        if (Array.isArray(value)) return value;
        if (value === undefined || value === null) return defaultValue;
        // A single id in place of an array of ids; the lenient reader accepts it too.
        return typeof value === 'string' ? [value] : [];
      };
    case 'object':
      return function object() {
        const value = (this.source as Source)[key];
        return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : defaultValue;
      };
    default:
      return function scalar() {
        const value = (this.source as Source)[key];
        return typeof value === type ? value : defaultValue;
      };
  }
}

type Source = Readonly<Record<string, unknown>>;

/** The type of a schema without `optional` and `default`, and its default. */
function unwrap(schema: z.ZodType): { readonly type: string; readonly defaultValue: unknown } {
  const { type, innerType, defaultValue } = schema.def as {
    type: string;
    innerType?: z.ZodType;
    defaultValue?: unknown;
  };
  if (!innerType) return { type, defaultValue: undefined };
  const inner = unwrap(innerType);
  return { type: inner.type, defaultValue: inner.defaultValue ?? defaultValue };
}
