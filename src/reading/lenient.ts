import * as z from 'zod';
import type { Issue } from '../errors.js';
import { hintsOf } from '../schemas/wire.js';
import { type Decide, skipRightFields } from './compiled-check.js';
import { nameOf } from './fields.js';
import { IssueCollector, isObject, kindOf } from './issue-collector.js';
import { listReader } from './list-reader.js';
import { objectReader } from './object-reader.js';
import { type Reader, readBoolean, readNumber, textReader, UNUSABLE } from './value-readers.js';

export type Reading<T> =
  | { readonly usable: true; readonly value: T; readonly issues: Issue[] }
  | { readonly usable: false; readonly issues: Issue[] };

/**
 * Makes a lenient reader of a schema: one bad entry never costs its
 * neighbours, and every deviation is an issue.
 *
 * The reader is derived from the schema itself, so that the two cannot part.
 * It works in place, on a document nobody else holds: copying costs more than
 * all checks together.
 *
 * @param telling - keys of which the value must have one: an object with none
 * of them is something else, an error page in JSON say, and not an empty document.
 */
export function lenientReader<Schema extends z.ZodType>(
  schema: Schema,
  telling: readonly string[] = [],
  decide: Decide = skipRightFields,
): (value: unknown) => Reading<z.output<Schema>> {
  let read: Reader | undefined;
  // One for all readings: what comes and goes with each would cost the code its optimization at every collection.
  const notes = new IssueCollector();
  return (value) => {
    read ??= readersOf(decide)(schema);
    notes.take();
    const result = isTold(value, telling, notes) ? read(value, notes) : UNUSABLE;
    if (result === UNUSABLE && notes.count === 0) {
      notes.add('invalid', `expected ${nameOf(schema)}, got ${kindOf(value)}`);
    }
    const issues = notes.take();
    if (result === UNUSABLE) return { usable: false, issues };
    return { usable: true, value: result as z.output<Schema>, issues };
  };
}

/** Whether there is anything to read; an object without all of the telling keys is noted. */
function isTold(value: unknown, telling: readonly string[], notes: IssueCollector): boolean {
  if (value === null || value === undefined) return false;
  // The only object of a list stands for it.
  const object: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (telling.length === 0 || !isObject(object)) return true;
  if (telling.some((key) => Object.hasOwn(object, key))) return true;
  notes.add('invalid', `an object with none of the keys ${telling.join(', ')}`);
  return false;
}

/** Makes readers of schemas, one for each however often it stands in them. */
function readersOf(decide: Decide): (schema: z.ZodType) => Reader {
  const readers = new Map<z.ZodType, Reader>();
  const readerOf = (schema: z.ZodType): Reader => {
    let reader = readers.get(schema);
    if (!reader) {
      reader = makeReader(schema);
      readers.set(schema, reader);
    }
    return reader;
  };
  const makeReader = (schema: z.ZodType): Reader => {
    if (schema instanceof z.ZodObject) return objectReader(schema, readerOf, decide(schema));
    if (schema instanceof z.ZodArray) return listReader(schema, readerOf);
    if (schema instanceof z.ZodString) return textReader(hintsOf(schema));
    if (schema instanceof z.ZodNumber) return readNumber;
    if (schema instanceof z.ZodBoolean) return readBoolean;
    if (schema instanceof z.ZodRecord) return (value) => (isObject(value) ? value : UNUSABLE);
    if (schema instanceof z.ZodUnknown) return (value) => value;
    throw new TypeError(`no lenient reader for ${schema.constructor.name}`);
  };
  return readerOf;
}
