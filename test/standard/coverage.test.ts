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

it('our schemas have every field and every value of the standard, with named exceptions', () => {
  const all = [
    ...lacking(schemaOf('Merchant'), merchantSchema, 'Merchant'),
    ...lacking(schemaOf('Order'), orderSchema, 'Order'),
    ...EVENT_TYPES.flatMap((type) => lacking(eventSchemaOf(type), eventSchema, 'Event')),
    ...lacking(schemaOf('Event'), eventSchema, 'Event'),
  ];
  expect([...new Set(all)]).toEqual(EXCEPTIONS);
});
