import * as z from 'zod';
import { hintsOf } from '../../src/schemas/wire.js';
import type { JsonSchema, Standard } from './openapi.js';

/** One field of a document, or one element of its arrays. */
export interface Field {
  readonly type: string;
  /** Whether the standard requires it. */
  readonly isRequired: boolean;
  /** The values of an enum; empty for other types. */
  readonly values: readonly string[];
}

/** The fields of a document by their paths: `Order.items[].unit`. */
export type Fields = ReadonlyMap<string, Field>;

/**
 * The fields of a schema of the standard, with those that only some of its variants have, as the metadata of events.
 * A field of the document is required if every variant requires it.
 */
export function fieldsOfStandard(standard: Standard, name: string): Fields {
  const fields = new Map<string, Field>();
  const variants = standard.variantsOf(standard.find(name) ?? {});
  const isAlwaysRequired = (key: string) =>
    variants.every((variant) => standard.resolved(variant).required?.includes(key));
  const add = (schema: JsonSchema, path: string, isRequired: boolean, outer: readonly JsonSchema[]) => {
    const target = standard.resolved(schema);
    const { properties = {}, required = [], items, enum: values = [] } = target;
    const type = target.type ?? (target.properties ? 'object' : 'any');
    const known = fields.get(path);
    fields.set(path, {
      type: type === 'integer' ? 'number' : type,
      isRequired: isRequired && known?.isRequired !== false,
      values: [...new Set([...(known?.values ?? []), ...values])],
    });
    // A schema that contains itself.
    if (outer.includes(target)) return;
    const isRoot = outer.length === 0;
    const inner = [...outer, target];
    if (items) add(items, `${path}[]`, true, inner);
    for (const [key, property] of Object.entries(properties)) {
      add(property, `${path}.${key}`, isRoot ? isAlwaysRequired(key) : required.includes(key), inner);
    }
  };
  for (const variant of variants) add(variant, name, true, []);
  return fields;
}

/** The fields of a schema of this package. */
export function fieldsOfOurs(schema: z.ZodType, name: string): Fields {
  const fields = new Map<string, Field>();
  const add = (field: z.ZodType, path: string) => {
    const inner = unwrapped(field);
    const { type } = inner.def;
    const values = inner instanceof z.ZodEnum ? inner.options.map(String) : hintsOf(inner).values;
    fields.set(path, {
      type: type === 'record' ? 'object' : type === 'enum' ? 'string' : type,
      isRequired: isRequired(field),
      values: [...(values ?? [])],
    });
    if (inner instanceof z.ZodArray) add(inner.element as z.ZodType, `${path}[]`);
    if (!(inner instanceof z.ZodObject)) return;
    for (const [key, property] of Object.entries(inner.shape)) add(property as z.ZodType, `${path}.${key}`);
  };
  add(schema, name);
  return fields;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

/** Whether the absence of a field is against the standard. */
function isRequired(field: z.ZodType): boolean {
  const { expected = false, bySpec = false } = hintsOf(field);
  const isOptional = field instanceof z.ZodOptional || field instanceof z.ZodExactOptional;
  return !bySpec && (expected || !isOptional);
}
