import type * as z from 'zod';

/**
 * A class whose instances stand for one entry of a document: every field its
 * schema names is read through, and nothing is copied, because a menu of
 * thousands of entries is mostly looked at in passing.
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
  for (const key of Object.keys(schema.shape)) {
    if ((without as readonly string[]).includes(key)) continue;
    Object.defineProperty(Class.prototype, key, {
      get(this: Class) {
        return this.source[key as keyof Entry];
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
