import type * as z from 'zod';
import { hintsOf } from '../schemas/wire.js';
import type { NextDeviation } from './compiled-check.js';
import { type Field, fieldsOf } from './fields.js';
import { type IssueCollector, isObject, kindOf } from './issue-collector.js';
import { DECIMAL, type Reader, UNUSABLE } from './value-readers.js';

type Json = Record<string, unknown>;

/** A field with all that its reading needs, made once. */
interface ReadField extends Field {
  readonly read: Reader;
  readonly identifies: boolean;
  readonly ofAbsent: string;
  readonly ofNull: string;
}

/** Reads an object field by field: those that `next` names, in place. */
export function objectReader(
  schema: z.ZodObject,
  readerOf: (schema: z.ZodType) => Reader,
  next: NextDeviation,
): Reader {
  const { bareKey } = hintsOf(schema);
  const fields = fieldsOf(schema).map((field) => withReader(field, readerOf(field.schema)));

  return (value, notes) => {
    let object = value;
    if (!isObject(object)) {
      object = standIn(value, bareKey);
      if (!isObject(object)) return UNUSABLE;
      notes.add('coerced', `expected an object, got ${kindOf(value)}`);
    }
    for (let index = next(object, 0); index !== -1; index = next(object, index + 1)) {
      if (!readField(object, fields[index] as ReadField, notes)) return UNUSABLE;
    }
    return object;
  };
}

function withReader(field: Field, read: Reader): ReadField {
  const { presence, name, fallback } = field;
  const what = () => {
    const value = fallback();
    return typeof value === 'object' ? 'its default' : JSON.stringify(value);
  };
  const then = presence === 'defaulted' ? `read as ${what()}` : `${name} is required`;
  const ofNull = presence === 'optional' ? 'null counts as absent' : `null, ${then}`;
  const identifies = hintsOf(field.schema).identifies ?? false;
  return { ...field, read, identifies, ofAbsent: `absent, ${then}`, ofNull };
}

/** Gives whether the object can still be used. */
function readField(object: Json, field: ReadField, notes: IssueCollector): boolean {
  const { key } = field;
  const raw = object[key];
  if (raw === undefined || raw === null) return readAbsent(object, field, raw, notes);
  const before = notes.count;
  notes.enter(key);
  const result = field.read(raw, notes);
  const explained = notes.count > before;
  if (result === UNUSABLE && !explained) notes.add('invalid', `expected ${field.name}, got ${kindOf(raw)}`);
  notes.leave();
  if (result !== UNUSABLE) {
    if (result !== raw) object[key] = result;
    return true;
  }
  if (field.presence === 'required') return false;
  if (field.identifies && typeof raw === 'number') return false;
  if (explained) notes.addAt(key, 'left_out', `${field.name} cannot be used`);
  object[key] = field.fallback();
  return true;
}

/** What stands for a field that is absent or null: its value under another spelling, its default, or nothing. */
function readAbsent(object: Json, field: ReadField, raw: null | undefined, notes: IssueCollector): boolean {
  const { key, presence } = field;
  if (field.aliases.length > 0 && readAlias(object, field, notes)) return true;
  const message = raw === null ? field.ofNull : field.ofAbsent;
  if (presence === 'defaulted') {
    notes.addAt(key, 'defaulted', message);
    object[key] = field.fallback();
    return true;
  }
  if (raw === null) {
    notes.addAt(key, 'null', message);
    if (presence !== 'required') object[key] = undefined;
  } else if (presence !== 'optional') notes.addAt(key, 'missing', message);
  return presence !== 'required';
}

function readAlias(object: Json, field: ReadField, notes: IssueCollector): boolean {
  const before = notes.count;
  let refused: { readonly alias: string; readonly value: unknown } | undefined;
  for (const alias of field.aliases) {
    const value = Object.hasOwn(object, alias) ? object[alias] : undefined;
    if (value === undefined || value === null) continue;
    notes.enter(alias);
    const result = field.read(value, notes);
    notes.leave();
    if (result === UNUSABLE) {
      notes.cut(before);
      refused = { alias, value };
      continue;
    }
    notes.addAt(alias, 'alias', `read as '${field.key}'`);
    object[field.key] = result;
    return true;
  }
  if (refused) notes.addAt(refused.alias, 'invalid', `expected ${field.name}, got ${kindOf(refused.value)}`);
  return false;
}

/** The object that something else stands for: the only element of a list, a bare value. */
function standIn(value: unknown, bareKey: string | undefined): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : undefined;
  if (bareKey === undefined) return undefined;
  return typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))
    ? { [bareKey]: value }
    : undefined;
}
