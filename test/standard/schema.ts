import file from './opendelivery-1.7.1.json' with { type: 'json' };

/** What is used here of a JSON schema. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

const schemas = file.schemas as Readonly<Record<string, JsonSchema>>;

/** The schema that a reference means. */
export function resolved(schema: JsonSchema): JsonSchema {
  return schema.$ref === undefined ? schema : schemaOf(schema.$ref);
}

export function schemaOf(name: string): JsonSchema {
  const schema = schemas[name];
  if (!schema) throw new TypeError(`the standard has no schema ${name}`);
  return schema;
}

/** What the standard says about `metadata` of an event type; undefined if the type has none. */
export function metadataOf(
  eventType: string,
): { readonly isRequired: boolean; readonly schema: JsonSchema } | undefined {
  const metadata = (
    file.eventMetadata as Readonly<Record<string, { required: readonly string[]; metadata: JsonSchema }>>
  )[eventType];
  return metadata && { isRequired: metadata.required.includes('metadata'), schema: metadata.metadata };
}

/** The schema of an event of one type, with its metadata. */
export function eventSchemaOf(eventType: string): JsonSchema {
  const event = schemaOf('Event');
  const metadata = metadataOf(eventType);
  return {
    ...event,
    required: [...(event.required ?? []), ...(metadata?.isRequired ? ['metadata'] : [])],
    properties: {
      ...event.properties,
      eventType: { type: 'string', enum: [eventType] },
      ...(metadata && { metadata: metadata.schema }),
    },
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
