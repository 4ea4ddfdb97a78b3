import { aliased, type Default, type defaulted, type FieldReader } from './fields.js';
import { AN_OBJECT, type Reader, UNUSABLE } from './reader.js';
import { objectOf } from './value-readers.js';

/** How a field is read: by a function of `fields.ts`, with the other spellings of its key, or with its default. */
type Field =
  | readonly [FieldReader, Reader, aliases?: readonly string[]]
  | readonly [typeof defaulted, Reader, Default];

/** A reader of objects by a table of their fields. It is smaller than code for each field, and slower. */
export function objectReader(table: Readonly<Record<string, Field>>, bareKey?: string): Reader {
  const fields = Object.entries(table).map(([key, [read, reader, more]]) => ({ key, read, reader, more }));
  return {
    expects: AN_OBJECT,
    read(value, issues) {
      const object = objectOf(value, issues, bareKey);
      if (object === undefined) return UNUSABLE;
      for (const { key, read, reader, more } of fields) {
        const raw = object[key];
        const isUsable = Array.isArray(more)
          ? aliased(object, raw, key, reader, issues, read as FieldReader, more)
          : (read as typeof defaulted)(object, raw, key, reader, issues, more as Default);
        if (!isUsable) return UNUSABLE;
      }
      return object;
    },
  };
}
