import type * as z from 'zod';

/**
 * A class whose instances stand for one entry of a document: every field its
 * schema names is read through, and nothing is copied, because a menu of
 * thousands of entries is mostly looked at in passing.
 *
 * Of a document nobody has read, a value of another type counts as absent; an
 * absent field is its default.
 *
 * @param without - fields the class puts something else in the place of.
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

/** What every entry of a `Menu` has beside its fields. */
export interface WireEntry<Entry> {
  /** The entry in the document, with what the hub added to it. */
  readonly source: Entry;
  toJSON(): Entry;
}

type Getter = (this: { readonly source: object }) => unknown;

/** Reads a field by its schema; each kind whole in one function, because a walk through a menu is made of these. */
function getterOf(key: string, schema: z.ZodType): Getter {
  const { type, defaultValue } = bare(schema);
  switch (type) {
    case 'number':
      return function number() {
        const value = (this.source as Source)[key];
        return typeof value === 'number' && Number.isFinite(value) ? value : defaultValue;
      };
    case 'array':
      return function list() {
        const value = (this.source as Source)[key];
        if (Array.isArray(value)) return value;
        if (value === undefined || value === null) return defaultValue;
        // One of them without its list, as the lenient reader takes it too.
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

/** The type below what makes it optional or gives it a default. */
function bare(schema: z.ZodType): { readonly type: string; readonly defaultValue: unknown } {
  const { type, innerType, defaultValue } = schema.def as {
    type: string;
    innerType?: z.ZodType;
    defaultValue?: unknown;
  };
  if (!innerType) return { type, defaultValue: undefined };
  const inner = bare(innerType);
  return { type: inner.type, defaultValue: inner.defaultValue ?? defaultValue };
}
