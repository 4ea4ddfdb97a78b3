import type * as z from 'zod';
import { hintsOf } from '../schemas/wire.js';
import type { FindInvalid } from './compiled-check.js';
import { describeValue } from './describe.js';
import { type Field, fieldsOf } from './fields.js';
import type { IssueCollector } from './issue-collector.js';
import { DECIMAL, isObject, type Reader, UNUSABLE } from './value-readers.js';

type Json = Record<string, unknown>;

/** A field with everything that reading it needs, prepared once. */
interface ReadableField extends Field {
  readonly read: Reader;
  readonly identifies: boolean;
  readonly ifAbsent: string;
  readonly ifNull: string;
}

/** Reads an object in place. Only the fields that `findInvalid` returns are read one by one. */
export function objectReader(
  schema: z.ZodObject,
  readerOf: (schema: z.ZodType) => Reader,
  findInvalid: FindInvalid,
): Reader {
  const { bareKey } = hintsOf(schema);
  const fields = fieldsOf(schema).map((field) => prepare(field, readerOf(field.schema)));

  return (value, issues) => {
    let object = value;
    if (!isObject(object)) {
      object = coerceToObject(value, bareKey);
      if (!isObject(object)) return UNUSABLE;
      issues.report('coerced', `expected an object, got ${describeValue(value)}`);
    }
    for (let index = findInvalid(object, 0); index !== -1; index = findInvalid(object, index + 1)) {
      if (!readField(object, fields[index] as ReadableField, issues)) return UNUSABLE;
    }
    return object;
  };
}

function prepare(field: Field, read: Reader): ReadableField {
  const { presence, type, fallback } = field;
  const then = presence === 'defaulted' ? `read as ${JSON.stringify(fallback())}` : `${type} is required`;
  const ifNull = presence === 'optional' ? 'null; read as absent' : `null; ${then}`;
  const identifies = hintsOf(field.schema).identifies ?? false;
  return { ...field, read, identifies, ifAbsent: `absent; ${then}`, ifNull };
}

/** Returns whether the object can still be used. */
function readField(object: Json, field: ReadableField, issues: IssueCollector): boolean {
  const { key } = field;
  const raw = object[key];
  if (raw === undefined || raw === null) return readAbsent(object, field, raw, issues);
  const before = issues.count;
  issues.enter(key);
  const result = field.read(raw, issues);
  const isExplained = issues.count > before;
  if (result === UNUSABLE && !isExplained) {
    issues.report('invalid', `expected ${field.type}, got ${describeValue(raw)}`);
  }
  issues.leave();
  if (result !== UNUSABLE) {
    if (result !== raw) object[key] = result;
    return true;
  }
  if (field.presence === 'required') return false;
  if (field.identifies && typeof raw === 'number') return false;
  if (isExplained) issues.reportAt(key, 'left_out', `not usable as ${field.type}; left out`);
  object[key] = field.fallback();
  return true;
}

/**
 * Fills a field that is absent or null: from another spelling of its key, with
 * its default, or not at all. Returns whether the object can still be used.
 */
function readAbsent(
  object: Json,
  field: ReadableField,
  raw: null | undefined,
  issues: IssueCollector,
): boolean {
  const { key, presence } = field;
  if (field.aliases.length > 0 && readAlias(object, field, issues)) return true;
  const message = raw === null ? field.ifNull : field.ifAbsent;
  if (presence === 'defaulted') {
    issues.reportAt(key, 'defaulted', message);
    object[key] = field.fallback();
    return true;
  }
  if (raw === null) {
    issues.reportAt(key, 'null', message);
    if (presence !== 'required') object[key] = undefined;
  } else if (presence !== 'optional') issues.reportAt(key, 'missing', message);
  return presence !== 'required';
}

/** Returns whether the field was read from another spelling of its key. */
function readAlias(object: Json, field: ReadableField, issues: IssueCollector): boolean {
  const before = issues.count;
  let unusable: { readonly alias: string; readonly value: unknown } | undefined;
  for (const alias of field.aliases) {
    const value = Object.hasOwn(object, alias) ? object[alias] : undefined;
    if (value === undefined || value === null) continue;
    issues.enter(alias);
    const result = field.read(value, issues);
    issues.leave();
    if (result === UNUSABLE) {
      issues.truncate(before);
      unusable = { alias, value };
      continue;
    }
    issues.reportAt(alias, 'alias', `read as '${field.key}'`);
    object[field.key] = result;
    return true;
  }
  if (unusable) {
    const message = `expected ${field.type}, got ${describeValue(unusable.value)}`;
    issues.reportAt(unusable.alias, 'invalid', message);
  }
  return false;
}

/** The object that another value means: the only element of an array, or the value of `bareKey`. */
function coerceToObject(value: unknown, bareKey: string | undefined): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : undefined;
  if (bareKey === undefined) return undefined;
  return typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))
    ? { [bareKey]: value }
    : undefined;
}
