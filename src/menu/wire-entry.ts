import type { Field, Fields } from './fields.js';

/**
 * Builds a base class for one kind of entry. It has a getter for each field, which reads from the entry, so
 * nothing is copied: most entries of a menu of thousands are hardly looked at.
 *
 * A document that was not read by the lenient reader may hold any value; `Field` says how it is read.
 *
 * A class that extends it has `source` as its own property. A constructor that all
 * classes share would set it eight times as slowly, because engines optimize a store for few classes.
 *
 * @typeParam Without - fields for which the class has its own getter.
 */
export function wireEntry<Entry extends object, Kind extends string, Without extends keyof Entry = never>(
  kind: Kind,
  fields: Fields<Entry>,
): abstract new () => Omit<Entry, Without> & WireEntry<Entry, Kind> {
  class Class {
    declare readonly source: Entry;

    get kind(): Kind {
      return kind;
    }

    toJSON(): Entry {
      return this.source;
    }
  }
  for (const [key, field] of Object.entries<Field>(fields)) {
    Object.defineProperty(Class.prototype, key, { get: getterOf(key, field) });
  }
  return Class as never;
}

/** What every entry of a `Menu` has beside the fields of its schema. */
export interface WireEntry<Entry, Kind extends string> {
  /** The kind of the entry, to switch on. */
  readonly kind: Kind;
  /** The entry in the document, with fields that the hub has added to the standard. */
  readonly source: Entry;
  /** Returns `source`. */
  toJSON(): Entry;
}

type Getter = (this: { readonly source: object }) => unknown;

/** Each type has its own complete function, because reading a menu consists of calls of these. */
function getterOf(key: string, { type, defaultValue }: Field): Getter {
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
    case 'string':
      return function string() {
        const value = (this.source as Source)[key];
        return typeof value === 'string' ? value : defaultValue;
      };
  }
}

type Source = Readonly<Record<string, unknown>>;
