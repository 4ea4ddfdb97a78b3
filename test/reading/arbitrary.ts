import fc from 'fast-check';
import * as z from 'zod';
import { type FormatName, hintsOf } from '../../src/schemas/wire.js';

/** Documents a schema accepts, all their fields present; `textOf` says which texts. */
export function whole(
  schema: z.ZodType,
  textOf: (schema: z.ZodType) => fc.Arbitrary<string> = () => fc.string({ maxLength: 8 }),
): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return whole(schema.unwrap() as z.ZodType, textOf);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(
      ([key, field]) => [key, whole(field as z.ZodType, textOf)] as const,
    );
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
  }
  if (schema instanceof z.ZodArray)
    return fc.array(whole(schema.element as z.ZodType, textOf), { maxLength: 2 });
  if (schema instanceof z.ZodNumber) return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodString) return textOf(schema);
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue());
  throw new TypeError(`no documents for ${schema.constructor.name}`);
}

const UUID = 'c0ffee00-0000-4000-8000-00000000000a';

const OF_FORMAT: Readonly<Record<FormatName, string>> = {
  uuid: UUID,
  datetime: '2026-05-04T03:02:01.5Z',
  date: '2026-05-04',
  time: '23:30:00',
  currency: 'USD',
  window: '30_MINUTES',
  cnpj: '12345678000195',
  merchantId: `12345678000195-${UUID}`,
};

/** Texts that deviate in nothing: known values, right formats. */
export function rightText(schema: z.ZodType): fc.Arbitrary<string> {
  const { values, format } = hintsOf(schema);
  if (values) return fc.constantFrom(...values);
  return format ? fc.constant(OF_FORMAT[format]) : fc.string({ maxLength: 8 });
}

/** Where a value stands in a document: every object and list, and every key in it. */
export function placesOf(value: unknown): Array<{ parent: Record<string, unknown>; key: string }> {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesOf(parent[key])]);
}
