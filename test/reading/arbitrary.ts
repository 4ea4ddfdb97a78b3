import fc from 'fast-check';
import * as z from 'zod';
import type { FormatName } from '../../src/schemas/formats.js';
import { hintsOf } from '../../src/schemas/wire.js';

/** Documents that a schema accepts, with all fields present. `stringOf` chooses the strings. */
export function completeDocument(
  schema: z.ZodType,
  stringOf: (schema: z.ZodType) => fc.Arbitrary<string> = () => fc.string({ maxLength: 8 }),
): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return completeDocument(schema.unwrap() as z.ZodType, stringOf);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(
      ([key, field]) => [key, completeDocument(field as z.ZodType, stringOf)] as const,
    );
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
  }
  if (schema instanceof z.ZodArray)
    return fc.array(completeDocument(schema.element as z.ZodType, stringOf), { maxLength: 2 });
  if (schema instanceof z.ZodNumber) return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodString) return stringOf(schema);
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue());
  throw new TypeError(`cannot draw documents for ${schema.constructor.name}`);
}

const UUID = 'c0ffee00-0000-4000-8000-00000000000a';

const EXAMPLES: Readonly<Record<FormatName, string>> = {
  uuid: UUID,
  datetime: '2026-05-04T03:02:01.5Z',
  date: '2026-05-04',
  time: '23:30:00',
  currency: 'USD',
  window: '30_MINUTES',
  cnpj: '12345678000195',
  merchantId: `12345678000195-${UUID}`,
};

/** Strings without an issue: known values in the right format. */
export function validString(schema: z.ZodType): fc.Arbitrary<string> {
  const { values, format } = hintsOf(schema);
  if (values) return fc.constantFrom(...values);
  return format ? fc.constant(EXAMPLES[format]) : fc.string({ maxLength: 8 });
}

/** Every place in a document: each key of each object and array. */
export function placesOf(value: unknown): Array<{ parent: Record<string, unknown>; key: string }> {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesOf(parent[key])]);
}

/** Values that real documents have in place of the right one, and ways to change the right one. */
const deviation = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '15.90',
    7,
    -0,
    Number.POSITIVE_INFINITY,
    true,
    'true',
    [],
    {},
    [null],
    [{}],
  ),
  fc.constantFrom('8 pieces', '17:00:00.000Z', '2026-05-04', 'BRL', 'AVAILABLE', 'constructor'),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('removed', 'wrapped', 'unwrapped', 'twice', 'renamed').map((how) => ({ how })),
);

function deviate(
  { parent, key }: { parent: Record<string, unknown>; key: string },
  by: unknown,
  otherKey: string,
): void {
  const was = parent[key];
  const how = typeof by === 'object' && by !== null && 'how' in by ? by.how : undefined;
  if (how === 'wrapped') parent[key] = [was];
  else if (how === 'unwrapped') parent[key] = Array.isArray(was) ? was[0] : was;
  else if (how === 'twice') parent[key] = [was, structuredClone(was)];
  else if (how === 'renamed' || how === 'removed') delete parent[key];
  else parent[key] = structuredClone(by);
  if (how === 'renamed') parent[otherKey] = was;
}

/** Other spellings of keys. */
const otherKeys = fc.constantFrom(
  ...['id', 'status', 'code', 'orderUrl', 'accessToken', 'tokenType', 'expiresIn'],
  ...['price', 'items', 'table', 'streetName', 'streetNumber', 'neighborhood'],
);

/** The documents, each with up to five deviations anywhere. */
export function deviating(documents: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const changes = fc.array(fc.tuple(fc.nat(), deviation, otherKeys), { maxLength: 5 });
  return fc.tuple(documents, changes).map(([document, list]) => {
    const changed = structuredClone(document);
    for (const [place, by, otherKey] of list) {
      const places = placesOf(changed);
      const chosen = places[place % places.length];
      if (chosen) deviate(chosen, by, otherKey);
    }
    return changed;
  });
}
