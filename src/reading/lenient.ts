import * as z from 'zod';
import type { Issue } from '../errors.js';
import { hintsOf } from '../schemas/wire.js';
import { type CompileCheck, compileCheck } from './compiled-check.js';
import { describeValue } from './describe.js';
import { describeType } from './fields.js';
import { IssueCollector } from './issue-collector.js';
import { listReader } from './list-reader.js';
import { objectReader } from './object-reader.js';
import { isObject, type Reader, readBoolean, readNumber, stringReader, UNUSABLE } from './value-readers.js';

export type Reading<T> =
  | { readonly usable: true; readonly value: T; readonly issues: Issue[] }
  | { readonly usable: false; readonly issues: Issue[] };

/**
 * Builds a lenient reader from a schema: an unusable entry never affects other
 * entries, and every deviation is reported as an issue.
 *
 * The reader is derived from the schema, so the two cannot diverge. It changes
 * the document in place, because copying costs more than all checks together:
 * pass a document that no other code holds.
 *
 * @param identifyingKeys - the object must have at least one of these; otherwise it is something else (an
 * error page in JSON), not an empty document.
 * @param check - how valid fields are skipped; only tests pass another one.
 */
export function lenientReader<Schema extends z.ZodType>(
  schema: Schema,
  identifyingKeys: readonly string[] = [],
  check: CompileCheck = compileCheck,
): (value: unknown) => Reading<z.output<Schema>> {
  let read: Reader | undefined;
  // One collector for all readings: with one per reading, V8 drops the optimized code at every garbage collection.
  const collector = new IssueCollector();
  return (value) => {
    read ??= readersOf(check)(schema);
    collector.take();
    const result = isIdentified(value, identifyingKeys, collector) ? read(value, collector) : UNUSABLE;
    if (result === UNUSABLE && collector.count === 0) {
      collector.report('invalid', `expected ${describeType(schema)}, got ${describeValue(value)}`);
    }
    const issues = collector.take();
    if (result === UNUSABLE) return { usable: false, issues };
    return { usable: true, value: result as z.output<Schema>, issues };
  };
}

/** False for an absent value and, with an issue, for an object without any of the identifying keys. */
function isIdentified(value: unknown, keys: readonly string[], collector: IssueCollector): boolean {
  if (value === null || value === undefined) return false;
  // An array with one element is read as that element.
  const object: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (keys.length === 0 || !isObject(object)) return true;
  if (keys.some((key) => Object.hasOwn(object, key))) return true;
  collector.report('invalid', `an object with none of the keys ${keys.join(', ')}`);
  return false;
}

/** Builds readers of schemas: one per schema, however often other schemas contain it. */
function readersOf(check: CompileCheck): (schema: z.ZodType) => Reader {
  const readers = new Map<z.ZodType, Reader>();
  const readerOf = (schema: z.ZodType): Reader => {
    let reader = readers.get(schema);
    if (!reader) {
      reader = buildReader(schema);
      readers.set(schema, reader);
    }
    return reader;
  };
  const buildReader = (schema: z.ZodType): Reader => {
    if (schema instanceof z.ZodObject) return objectReader(schema, readerOf, check(schema));
    if (schema instanceof z.ZodArray) return listReader(schema, readerOf);
    if (schema instanceof z.ZodString) return stringReader(hintsOf(schema));
    if (schema instanceof z.ZodNumber) return readNumber;
    if (schema instanceof z.ZodBoolean) return readBoolean;
    if (schema instanceof z.ZodRecord) return (value) => (isObject(value) ? value : UNUSABLE);
    if (schema instanceof z.ZodUnknown) return (value) => value;
    throw new TypeError(`no lenient reader for ${schema.constructor.name}`);
  };
  return readerOf;
}
