import type * as z from 'zod';
import { eventSchema, merchantSchema, orderSchema, tokenResponseSchema } from '../../src/schemas.js';
import { COMMAND_BODIES } from '../../src/testing/command-bodies.js';
import { type Field, type Fields, fieldsOfOurs, fieldsOfStandard } from './fields.js';
import type { Standard } from './openapi.js';

/** The schemas of this package, by their names in the standard. */
const OURS: Readonly<Record<string, z.ZodType | undefined>> = {
  TokenResponse: tokenResponseSchema,
  Merchant: merchantSchema,
  Order: orderSchema,
  Event: eventSchema,
  OrderConfirmed: COMMAND_BODIES.get('confirm')?.schema,
  OrderDispatched: COMMAND_BODIES.get('dispatch')?.schema,
  OrderTracking: COMMAND_BODIES.get('tracking')?.schema,
  RequestCancelled: COMMAND_BODIES.get('requestCancellation')?.schema,
  RequestDenied: COMMAND_BODIES.get('denyCancellation')?.schema,
};

/** What a version of the standard has in addition to our schemas, what it lacks, and what it has differently: one line each. */
export function differencesFrom(standard: Standard): string[] {
  return Object.entries(OURS).flatMap(([name, schema]) => {
    if (!schema) throw new TypeError(`this package has no schema for ${name}`);
    if (!standard.find(name)) return [`gone schema ${name}`];
    return differences(fieldsOfStandard(standard, name), fieldsOfOurs(schema, name));
  });
}

function differences(standard: Fields, ours: Fields): string[] {
  const changed = [...standard].flatMap(([path, field]) => {
    const own = ours.get(path);
    return own ? changesOf(path, field, own) : [`new field ${path}: ${describe(field)}`];
  });
  const gone = [...ours.keys()].filter((path) => !standard.has(path));
  return [...changed, ...gone.map((path) => `gone field ${path}`)];
}

function changesOf(path: string, field: Field, own: Field): string[] {
  const added = field.values.filter((value) => !own.values.includes(value));
  const removed = own.values.filter((value) => !field.values.includes(value));
  return [
    field.type !== own.type && `new type ${path}: ${field.type}, was ${own.type}`,
    added.length > 0 && `new values ${path}: ${added.join(', ')}`,
    removed.length > 0 && `gone values ${path}: ${removed.join(', ')}`,
    field.isRequired && !own.isRequired && `now required ${path}`,
    !field.isRequired && own.isRequired && `no longer required ${path}`,
  ].filter((line) => line !== false);
}

function describe({ type, isRequired, values }: Field): string {
  return [type, isRequired && 'required', values.length > 0 && `one of ${values.join(', ')}`]
    .filter(Boolean)
    .join(', ');
}
