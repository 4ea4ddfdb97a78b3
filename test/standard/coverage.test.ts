import { eventSchema, merchantSchema, orderSchema } from 'opendelivery-client/schemas';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { EVENT_TYPES } from '../../src/schemas/event-types.js';
import { hintsOf } from '../../src/schemas/wire.js';
import { eventSchemaOf, type JsonSchema, resolved, schemaOf } from './schema.js';

/** Where our schemas are wider than the standard on purpose. */
const EXCEPTIONS = [
  // Any number of minutes by Spec §2.4.
  'Merchant.services.serviceTiming.schedule.scheduleTimeWindow: values',
  'Merchant.services.serviceTiming.schedule.scheduleStartWindow: values',
  'Merchant.services.serviceTiming.schedule.scheduleEndWindow: values',
  // `metadata` is an object of any keys at run time. Its fields are in the type `EventMetadata`.
  'Event.metadata: fields',
];

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

/** What the standard has at a path and our schema lacks. */
function lacking(standard: JsonSchema, ours: z.ZodType, path: string): string[] {
  const { type = '', properties = {}, items, enum: values = [] } = resolved(standard);
  const schema = unwrapped(ours);
  if (type === 'object' && schema instanceof z.ZodRecord) return [`${path}: fields`];
  if (schema.def.type !== (type === 'integer' ? 'number' : type)) return [`${path}: not ${type}`];
  if (schema instanceof z.ZodArray) return lacking(items ?? {}, schema.element as z.ZodType, path);
  if (!(schema instanceof z.ZodObject)) {
    const known = hintsOf(schema).values;
    return values.every((value) => known?.has(value)) ? [] : [`${path}: values`];
  }
  return Object.entries(properties).flatMap(([key, property]) => {
    const field = schema.shape[key] as z.ZodType | undefined;
    return field ? lacking(property, field, `${path}.${key}`) : [`${path}.${key}`];
  });
}

/** Every schema of the standard that a document has, with ours. */
const PAIRS: ReadonlyArray<readonly [JsonSchema, z.ZodType, string]> = [
  [schemaOf('Merchant'), merchantSchema, 'Merchant'],
  [schemaOf('Order'), orderSchema, 'Order'],
  ...EVENT_TYPES.map((type) => [eventSchemaOf(type), eventSchema, 'Event'] as const),
  [schemaOf('Event'), eventSchema, 'Event'],
];

it('our schemas have every field and every value of the standard, with named exceptions', () => {
  expect([...new Set(PAIRS.flatMap((pair) => lacking(...pair)))]).toEqual(EXCEPTIONS);
});

/** Whether the absence of a field is against the standard. */
function isRequired(field: z.ZodType): boolean {
  const { expected = false, bySpec = false } = hintsOf(field);
  return !bySpec && (expected || !(field instanceof z.ZodOptional));
}

/** The fields that only one of the standard and our schema requires. */
function differing(standard: JsonSchema, ours: z.ZodType, path: string): string[] {
  const { properties = {}, required = [], items } = resolved(standard);
  const schema = unwrapped(ours);
  if (schema instanceof z.ZodArray) return differing(items ?? {}, schema.element as z.ZodType, path);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    const field = schema.shape[key] as z.ZodType;
    const at = `${path}.${key}`;
    return [...(required.includes(key) === isRequired(field) ? [] : [at]), ...differing(property, field, at)];
  });
}

it('our schemas require exactly what the standard requires, apart from what they mark as of the spec', () => {
  expect([...new Set(PAIRS.flatMap((pair) => differing(...pair)))]).toEqual([
    // By the text of the standard, a holiday without periods is closed all day.
    'Merchant.services.serviceHours.holidayHours.timePeriods',
    // Only of some event types; the reader does not look into it.
    'Event.metadata',
  ]);
});
