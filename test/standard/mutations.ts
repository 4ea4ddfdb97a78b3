import { type JsonSchema, resolved } from './schema.js';

/** A change that makes a valid document invalid by the standard. */
export interface Mutation {
  readonly path: readonly (string | number)[];
  /** The value to set; undefined removes the key. */
  readonly value: unknown;
}

/** The reader keeps ids and URLs as they are. */
const CHECKED_FORMATS = ['date', 'time', 'date-time'];

/**
 * What the reader does not check. It also reads any number where the standard has integers, and texts of any length.
 * `schedule` windows are any number of minutes by Spec §2.4, and a holiday without periods is closed all day by the
 * text of the standard.
 */
const UNCHECKED = {
  patterns: ['^[A-Z]{2}$', '^[0-9]+(\\.[0-9]+)? ?(- ?[0-9]+(\\.[0-9]+)?)? [a-zA-Z]+$'],
  required: /holidayHours\.\d+\.timePeriods$/,
};

const WRONG_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: [null, {}, ['a', 'b'], true],
  number: [null, 'twelve', {}, true],
  integer: [null, 'twelve', {}, true],
  boolean: [null, 'maybe', {}, 7],
  array: [null, 7, 'a'],
  object: [null, 'a', [], true],
};

/** Every change of one value that makes a document invalid by its schema in a way that the reader checks. */
export function* mutationsOf(
  value: unknown,
  schema: JsonSchema,
  path: readonly (string | number)[] = [],
): Generator<Mutation> {
  const target = resolved(schema);
  const { type = '', required = [], properties = {}, items = {} } = target;
  if (path.length > 0) for (const wrong of WRONG_TYPES[type] ?? []) yield { path, value: wrong };
  if (isChecked(target)) yield { path, value: 'nonsense' };
  if (type === 'array') {
    for (const [at, element] of (value as unknown[]).entries()) {
      yield* mutationsOf(element, items, [...path, at]);
    }
  }
  if (type !== 'object') return;
  for (const [key, property] of Object.entries(properties)) {
    const inner: unknown = Reflect.get(value as object, key);
    if (inner === undefined) continue;
    const at = [...path, key];
    if (required.includes(key) && !UNCHECKED.required.test(at.join('.')))
      yield { path: at, value: undefined };
    yield* mutationsOf(inner, property, at);
  }
}

function isChecked({ enum: values, format = '', pattern }: JsonSchema): boolean {
  if (values) return true;
  if (pattern !== undefined) return !UNCHECKED.patterns.includes(pattern);
  return CHECKED_FORMATS.includes(format);
}

/** A copy of the document with the change. */
export function mutated<T>(document: T, { path, value }: Mutation): T {
  const copy = structuredClone(document);
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => Reflect.get(at as object, key), copy) as object;
  const key = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, key, value);
  return copy;
}
