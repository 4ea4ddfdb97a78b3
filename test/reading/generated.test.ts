import fc from 'fast-check';
import { eventSchema, merchantSchema, orderSchema, tokenResponseSchema } from 'opendelivery-client/schemas';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Issue } from '../../src/errors/index.js';
import { lenientReader } from '../../src/reading/fields.js';
import { event } from '../../src/reading/generated/event.js';
import { merchant } from '../../src/reading/generated/merchant.js';
import { order } from '../../src/reading/generated/order.js';
import { token } from '../../src/reading/generated/token.js';

import type { Reader } from '../../src/reading/reader.js';
import { hintsOf } from '../../src/schemas/wire.js';

import { runs } from '../runs.js';
import { documentsOf } from '../schemas/documents.js';

import { completeDocument, deviating, validString } from './arbitrary.js';

/** The schema accepts any string, optional fields that are absent, and fields with a default that are absent. */
const isNothingToTheSchema = ({ code, message }: Issue) =>
  ['missing', 'unknown_value', 'format'].includes(code) ||
  (code === 'defaulted' && message.startsWith('absent'));

/** Other spellings of keys, at any depth. */
function aliasesIn(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return aliasesIn(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return aliasesIn(schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return [];
  const inner = Object.values(schema.shape).flatMap((field) => aliasesIn(field as z.ZodType));
  return [...Object.keys(hintsOf(schema).aliases ?? {}), ...inner];
}

describe.each<[string, Reader, z.ZodType, unknown[]]>([
  ['merchant', merchant, merchantSchema, documentsOf('merchant')],
  ['order', order, orderSchema, documentsOf('order')],
  ['event', event, eventSchema, []],
  ['token', token, tokenResponseSchema, []],
])('the generated reader of any %s', (_name, reader, schema, documents) => {
  const read = lenientReader<unknown>(reader);
  const aliases = new Set<unknown>(aliasesIn(schema));
  const complete = completeDocument(schema, validString);
  const real = documents.length > 0 ? fc.oneof(fc.constantFrom(...documents), complete) : complete;

  it('finds right exactly what the schema accepts, and returns what the schema returns', () => {
    let accepted = 0;
    const numRuns = runs(1000, 16);
    fc.assert(
      fc.property(deviating(real), (document) => {
        const parsing = schema.safeParse(document);
        const reading = read(structuredClone(document));
        // The schema does not know other spellings of keys, and accepts those of values as they are.
        if (reading.issues.some(({ path }) => aliases.has(path.at(-1)))) return;
        if (reading.issues.some(({ message }) => message.startsWith('another spelling'))) return;
        expect(reading.usable && reading.issues.every(isNothingToTheSchema)).toBe(parsing.success);
        if (reading.usable && parsing.success) expect(reading.value).toEqual(parsing.data);
        if (parsing.success) accepted += 1;
      }),
      { numRuns },
    );
    expect(accepted).toBeGreaterThan(numRuns / 20);
  });

  it('returns a document that the schema accepts', () => {
    fc.assert(
      fc.property(deviating(real), (document) => {
        const reading = read(document);
        if (reading.usable) expect(schema.safeParse(reading.value).error).toBeUndefined();
      }),
      { numRuns: runs(500, 16) },
    );
  });

  it('changes nothing in a right document, and reports nothing', () => {
    fc.assert(
      fc.property(complete, (document) => {
        const reading = read(structuredClone(document));
        expect(reading).toMatchObject({ usable: true, value: document, issues: [] });
        expect(JSON.stringify(reading.usable && reading.value)).toBe(JSON.stringify(document));
      }),
      { numRuns: 100 },
    );
  });
});
