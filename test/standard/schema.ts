import { type JsonSchema, Standard } from '../../.ci/standard/openapi.js';
import file from './opendelivery-1.7.1.json' with { type: 'json' };

export type { JsonSchema };

export const standard = new Standard(file);

/** The schema that a reference means, with the fields of all schemas that it is composed of. */
export const resolved = (schema: JsonSchema): JsonSchema => standard.resolved(schema);

export const schemaOf = (name: string): JsonSchema => standard.schemaOf(name);

/** The schema of an event of one type, with its metadata. */
export function eventSchemaOf(eventType: string): JsonSchema {
  const event = resolved({ $ref: standard.find('Event')?.discriminator?.mapping?.[eventType] ?? '' });
  return {
    ...event,
    properties: { ...event.properties, eventType: { type: 'string', enum: [eventType] } },
  };
}

/** The fields of an order that the standard requires only for a `type` or an `orderTiming` ("REQUIRED if"). */
export const CONDITIONAL = [
  { key: 'customer', field: 'type', is: 'DELIVERY' },
  { key: 'delivery', field: 'type', is: 'DELIVERY' },
  { key: 'takeout', field: 'type', is: 'TAKEOUT' },
  { key: 'indoor', field: 'type', is: 'INDOOR' },
  { key: 'schedule', field: 'orderTiming', is: 'SCHEDULED' },
] as const;
