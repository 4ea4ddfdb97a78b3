import { aliased, type Default, type defaulted, type FieldReader, mismatch } from './fields.js';
import type { IssueCollector } from './issue-collector.js';
import { AN_ARRAY, AN_OBJECT, type Reader, UNUSABLE } from './reader.js';
import { isObject, objectOf } from './value-readers.js';

/** How a field is read: by a function of `fields.ts`, with the other spellings of its key, or with its default. */
type Field =
  | readonly [FieldReader, Reader, aliases?: readonly string[]]
  | readonly [typeof defaulted, Reader, Default];

type Table = Readonly<Record<string, Field>>;

/**
 * A reader of objects by a table of their fields. It is smaller than code for each field, and slower.
 *
 * @param bareKey - the key whose value may be in the place of the object: a telephone number as a string, an array of
 * payments. Issues of that value have the path at which the hub sent it.
 */
export function objectReader(table: Table, bareKey?: string): Reader {
  const fields = Object.entries(table).map(([key, [read, reader, more]]) => ({ key, read, reader, more }));
  const bare = fields.find(({ key }) => key === bareKey);
  const readFields = (object: Record<string, unknown>, issues: IssueCollector, skipped?: typeof bare) => {
    for (const field of fields) {
      if (field === skipped) continue;
      const { key, read, reader, more } = field;
      const raw = object[key];
      const isUsable = Array.isArray(more)
        ? aliased(object, raw, key, reader, issues, read as FieldReader, more)
        : (read as typeof defaulted)(object, raw, key, reader, issues, more as Default);
      if (!isUsable) return UNUSABLE;
    }
    return object;
  };
  return {
    expects: AN_OBJECT,
    read(value, issues) {
      if (bare && isBare(value, bare.reader, table)) {
        const before = issues.count;
        issues.report('coerced', `${mismatch({ expects: AN_OBJECT }, value)}; read as '${bare.key}'`);
        const content = bare.reader.read(value, issues);
        if (content !== UNUSABLE) return readFields({ [bare.key]: content }, issues, bare);
        issues.truncate(before);
        return UNUSABLE;
      }
      const object = objectOf(value, issues);
      return object === undefined ? UNUSABLE : readFields(object, issues);
    },
  };
}

/** Whether a value is in the place of its object. An array with one such object is read as the object. */
function isBare(value: unknown, reader: Reader, table: Table): boolean {
  if (!Array.isArray(value)) return !isObject(value) && reader.expects !== AN_ARRAY;
  const [first] = value;
  const isWrapped =
    value.length === 1 && isObject(first) && Object.keys(first).some((key) => Object.hasOwn(table, key));
  return reader.expects === AN_ARRAY && !isWrapped;
}
