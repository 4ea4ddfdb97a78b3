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
    const read = readerOf(field as z.ZodType);
    Object.defineProperty(Class.prototype, key, {
      get(this: Class) {
        return read(this.source[key as keyof Entry]);
      },
    });
  }
  return Class as never;
}

/** What every entry of a `Menu` has beside its fields. */
export interface WireEntry<Entry> {
  /** The entry in the document, with what the hub added to it. */
  readonly source: Entry;
  toJSON(): Entry;
}

function readerOf(schema: z.ZodType): (value: unknown) => unknown {
  const { type, innerType, defaultValue } = schema.def as {
    type: string;
    innerType?: z.ZodType;
    defaultValue?: unknown;
  };
  if (innerType) {
    const read = readerOf(innerType);
    return (value) => read(value) ?? defaultValue;
  }
  switch (type) {
    case 'number':
      return (value) => (Number.isFinite(value) ? value : undefined);
    case 'array':
      return (value) => {
        if (value === undefined || value === null || Array.isArray(value)) return value ?? undefined;
        // One of them without its list, as the lenient reader takes it too.
        return typeof value === 'string' ? [value] : [];
      };
    case 'object':
      return (value) =>
        typeof value === 'object' && !Array.isArray(value) ? (value ?? undefined) : undefined;
    default:
      return (value) => (typeof value === type ? value : undefined);
  }
}
