import * as z from 'zod';
import type { Issue } from '../errors.js';
import { FORMATS, hintsOf, type WireHints } from './wire.js';

/**
 * What a lenient reading noted.
 *
 * - `missing`: the spec requires it; left absent.
 * - `defaulted`: absent, the standard's default stands in.
 * - `null`: null, which counts as absent.
 * - `coerced`: another type of the same meaning (`"15.90"` for 15.9).
 * - `alias`: under another spelling of its key.
 * - `unknown_value`: not among the values the standard names; kept.
 * - `format`: not in the format the spec shows; kept.
 * - `invalid`: of a type that means nothing here; taken out.
 * - `left_out`: an entry that cannot be used.
 */
export type IssueCode =
  | 'missing'
  | 'defaulted'
  | 'null'
  | 'coerced'
  | 'alias'
  | 'unknown_value'
  | 'format'
  | 'invalid'
  | 'left_out';

type Path = Array<string | number>;

interface Note {
  path: Path;
  code: IssueCode;
  message: string;
}

/** A value that cannot be used; why is among the notes. */
const UNUSABLE = Symbol('unusable');

/** Reads a value that is neither absent nor null, in place; gives it, what it stands for, or `UNUSABLE`. */
type Reader = (value: unknown, notes: Note[]) => unknown;

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
): (value: unknown) => Reading<z.output<Schema>> {
  let read: Reader | undefined;
  return (value) => {
    read ??= readerOf(schema);
    const notes: Note[] = [];
    if (telling.length > 0 && isObject(value) && !telling.some((key) => Object.hasOwn(value, key))) {
      note(notes, 'invalid', `an object with none of the keys ${telling.join(', ')}`);
      return { usable: false, issues: notes };
    }
    const result = value === null || value === undefined ? UNUSABLE : read(value, notes);
    if (result === UNUSABLE) {
      if (notes.length === 0) note(notes, 'invalid', `expected ${nameOf(schema)}, got ${kindOf(value)}`);
      return { usable: false, issues: notes };
    }
    return { usable: true, value: result as z.output<Schema>, issues: notes };
  };
}

const readers = new WeakMap<z.ZodType, Reader>();

function readerOf(schema: z.ZodType): Reader {
  let reader = readers.get(schema);
  if (!reader) {
    reader = makeReader(schema);
    readers.set(schema, reader);
  }
  return reader;
}

function makeReader(schema: z.ZodType): Reader {
  const hints = hintsOf(schema);
  if (schema instanceof z.ZodObject) return objectReader(schema, hints);
  if (schema instanceof z.ZodArray) return arrayReader(schema, hints);
  if (schema instanceof z.ZodString) return stringReader(hints);
  if (schema instanceof z.ZodNumber) return readNumber;
  if (schema instanceof z.ZodBoolean) return readBoolean;
  if (schema instanceof z.ZodRecord) return (value) => (isObject(value) ? value : UNUSABLE);
  if (schema instanceof z.ZodUnknown) return (value) => value;
  throw new TypeError(`no lenient reader for ${schema.constructor.name}`);
}

interface Field {
  readonly key: string;
  readonly read: Reader;
  readonly name: string;
  readonly presence: 'required' | 'expected' | 'optional' | 'defaulted';
  readonly fallback: () => unknown;
  readonly aliases: readonly string[];
}

function fieldOf(key: string, schema: z.ZodType, aliases: Readonly<Record<string, string>>): Field {
  const spellings = Object.keys(aliases).filter((alias) => aliases[alias] === key);
  const field = { key, aliases: spellings, fallback: () => undefined };
  if (schema instanceof z.ZodOptional) {
    const inner = schema.unwrap() as z.ZodType;
    const presence = hintsOf(schema).expected ? ('expected' as const) : ('optional' as const);
    return { ...field, presence, read: readerOf(inner), name: nameOf(inner) };
  }
  if (schema instanceof z.ZodDefault) {
    const inner = schema.unwrap() as z.ZodType;
    const fallback = () => structuredClone(schema.def.defaultValue);
    return { ...field, presence: 'defaulted', read: readerOf(inner), name: nameOf(inner), fallback };
  }
  return { ...field, presence: 'required', read: readerOf(schema), name: nameOf(schema) };
}

function objectReader(schema: z.ZodObject, { aliases = {}, bareKey }: WireHints): Reader {
  const fields = Object.entries(schema.shape).map(([key, inner]) =>
    fieldOf(key, inner as z.ZodType, aliases),
  );

  return function readObject(value, notes) {
    if (!isObject(value)) {
      const stand = standIn(value, bareKey);
      if (stand === undefined) return UNUSABLE;
      note(notes, 'coerced', `expected an object, got ${kindOf(value)}`);
      return readObject(stand, notes);
    }
    for (const field of fields) {
      const { key } = field;
      const before = notes.length;
      const raw = value[key];
      let result: unknown;
      if (raw === undefined || raw === null) {
        result = readAbsent(value, field, raw, notes);
        if (result === UNUSABLE) return UNUSABLE;
        if (result === undefined && raw === undefined) continue;
      } else {
        result = field.read(raw, notes);
        if (result === UNUSABLE) {
          const explained = notes.length > before;
          if (!explained) note(notes, 'invalid', `expected ${field.name}, got ${kindOf(raw)}`);
          prefix(notes, before, key);
          if (field.presence === 'required') return UNUSABLE;
          if (explained)
            notes.push({ path: [key], code: 'left_out', message: `${field.name} cannot be used` });
          value[key] = field.fallback();
          continue;
        }
        if (notes.length > before) prefix(notes, before, key);
      }
      if (result !== raw) value[key] = result;
    }
    return value;
  };
}

/** What stands for a field that is absent or null: its value under another spelling, its default, or nothing. */
function readAbsent(
  object: Record<string, unknown>,
  field: Field,
  raw: null | undefined,
  notes: Note[],
): unknown {
  const before = notes.length;
  const { key } = field;
  for (const alias of field.aliases) {
    const value = Object.hasOwn(object, alias) ? object[alias] : undefined;
    if (value === undefined || value === null) continue;
    const result = field.read(value, notes);
    if (result === UNUSABLE) {
      notes.length = before;
      continue;
    }
    prefix(notes, before, alias);
    notes.push({ path: [alias], code: 'alias', message: `read as '${key}'` });
    return result;
  }
  if (field.presence === 'optional') {
    if (raw === null) notes.push({ path: [key], code: 'null', message: 'null counts as absent' });
    return undefined;
  }
  const was = raw === null ? 'null' : 'absent';
  if (field.presence === 'defaulted') {
    const fallback = field.fallback();
    const shown = typeof fallback === 'object' ? 'its default' : JSON.stringify(fallback);
    notes.push({ path: [key], code: 'defaulted', message: `${was}, read as ${shown}` });
    return fallback;
  }
  notes.push({
    path: [key],
    code: raw === null ? 'null' : 'missing',
    message: `${was}, ${field.name} is required`,
  });
  return field.presence === 'required' ? UNUSABLE : undefined;
}

function arrayReader(schema: z.ZodArray, { spreadKey }: WireHints): Reader {
  const element = schema.element as z.ZodType;
  const read = readerOf(element);
  const name = nameOf(element);

  return (value, notes) => {
    let list: unknown[];
    if (Array.isArray(value)) list = value;
    else {
      list = [value];
      note(notes, 'coerced', `expected a list, got ${kindOf(value)}`);
    }
    const parts = spreadKey === undefined ? undefined : spread(list, spreadKey, notes);
    if (parts) list = parts.map(({ part }) => part);
    let kept = 0;
    for (let position = 0; position < list.length; position += 1) {
      // Where it stands in the document as it was sent.
      const index = parts?.[position]?.index ?? position;
      const raw = list[position];
      const before = notes.length;
      const result = raw === null || raw === undefined ? UNUSABLE : read(raw, notes);
      if (result === UNUSABLE) {
        if (notes.length === before) note(notes, 'invalid', `expected ${name}, got ${kindOf(raw)}`);
        prefix(notes, before, index);
        notes.push({ path: [index], code: 'left_out', message: `${name} cannot be used` });
        continue;
      }
      if (notes.length > before) prefix(notes, before, index);
      if (kept !== position || result !== raw) list[kept] = result;
      kept += 1;
    }
    if (kept !== list.length) list.length = kept;
    return list;
  };
}

/** `[{timePeriods: [a, b], …}]` as `[{timePeriods: a, …}, {timePeriods: b, …}]`. */
function spread(
  list: readonly unknown[],
  key: string,
  notes: Note[],
): { part: unknown; index: number }[] | undefined {
  if (!list.some((each) => isObject(each) && Array.isArray(each[key]))) return undefined;
  return list.flatMap((each, index) => {
    const parts = isObject(each) ? each[key] : undefined;
    if (!isObject(each) || !Array.isArray(parts)) return [{ part: each, index }];
    notes.push({ path: [index, key], code: 'coerced', message: 'a list, read as one entry for each' });
    return parts.map((part) => ({ part: { ...each, [key]: part }, index }));
  });
}

function stringReader({ values, format }: WireHints): Reader {
  const pattern = format && FORMATS[format];
  return (value, notes) => {
    let text: string;
    if (typeof value === 'string') text = value;
    else if (typeof value === 'number' && Number.isFinite(value)) {
      text = String(value);
      note(notes, 'coerced', 'expected a text, got a number');
    } else return UNUSABLE;
    if (values && !values.has(text))
      note(notes, 'unknown_value', `${quote(text)} is not a value the standard names`);
    if (pattern && !pattern.test(text))
      note(notes, 'format', `${quote(text)} is not of the format ${format}`);
    return text;
  };
}

/** Plain decimals only: `''`, `'0x10'` and `'1e3'` are numbers to JavaScript, not to a price list. */
const DECIMAL = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;

const readNumber: Reader = (value, notes) => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : UNUSABLE;
  if (typeof value !== 'string' || !DECIMAL.test(value)) return UNUSABLE;
  note(notes, 'coerced', 'expected a number, got a text');
  return Number(value);
};

const readBoolean: Reader = (value, notes) => {
  if (typeof value === 'boolean') return value;
  if (value !== 'true' && value !== 'false') return UNUSABLE;
  note(notes, 'coerced', 'expected true or false, got a text');
  return value === 'true';
};

/** The object that something else stands for: the only element of a list, a bare value. */
function standIn(value: unknown, bareKey: string | undefined): Record<string, unknown> | undefined {
  if (Array.isArray(value)) return value.length === 1 && isObject(value[0]) ? value[0] : undefined;
  if (bareKey === undefined) return undefined;
  return typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))
    ? { [bareKey]: value }
    : undefined;
}

function note(notes: Note[], code: IssueCode, message: string): void {
  notes.push({ path: [], code, message });
}

/** Paths grow from the inside out, so that a clean document pays nothing for them. */
function prefix(notes: Note[], from: number, key: string | number): void {
  for (let index = from; index < notes.length; index += 1) notes[index]?.path.unshift(key);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${quote(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'boolean' ? String(value) : 'an object';
}

function nameOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodObject) return 'an object';
  if (schema instanceof z.ZodArray) return 'a list';
  if (schema instanceof z.ZodString) return 'a text';
  if (schema instanceof z.ZodNumber) return 'a number';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  return 'a value';
}
