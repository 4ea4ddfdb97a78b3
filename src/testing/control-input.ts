import * as z from 'zod';
import { ENDPOINT_NAMES } from '../hub/endpoints.js';
import { SERVICE_TYPES, TIMINGS } from '../schemas/common.js';
import { orderSchema } from '../schemas/order.js';
import { FAULT_TYPES, SIMPLE_FAULTS } from './fault.js';
import type { Json, JsonValue } from './fixtures.js';
import { DELIVERERS, ORDER_PARTS } from './order-amounts.js';

/** What the body and the query parameters of each control request contain. */

/** Valid as it is: `JSON.parse` made it. */
const json = z.custom<JsonValue>();
export const jsonObject: z.ZodType<Json> = z.record(z.string(), json);
const required = z.string().min(1);
const optional = z.string().exactOptional();

export const noInput = z.strictObject({});

export const ofStore = z.strictObject({ clientId: optional });

export const ofEvent = z.strictObject({ eventId: required });

export const newPush = z.strictObject({
  url: required,
  clientId: optional,
  alsoPolled: z.boolean().exactOptional(),
});

export const clockMove = z.strictObject({
  advance: z.union([z.number(), z.string()]).exactOptional(),
  speed: z.number().exactOptional(),
});

/** A field of the order document. Only its type is checked, so that a test can send what no hub should; null, too. */
function orderField(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return orderField(schema.unwrap());
  const kinds = { array: z.array(json), boolean: z.boolean(), object: jsonObject, string: z.string() };
  return Reflect.get(kinds, schema._zod.def.type).nullable().exactOptional();
}

const ORDER_FIELDS = Object.entries(orderSchema.shape)
  .filter(([name]) => name !== 'type' && name !== 'orderTiming')
  .map(([name, schema]) => [name, orderField(schema)]);

/** `NewOrder`, with the fields that the standard has. In JavaScript, any other key goes into the order document. */
export const newOrder = z.strictObject({
  clientId: optional,
  orderId: optional,
  merchantId: optional,
  type: z.enum(SERVICE_TYPES).exactOptional(),
  orderTiming: z.enum(TIMINGS).exactOptional(),
  deliveredBy: z.enum(DELIVERERS).exactOptional(),
  include: z.array(z.enum(ORDER_PARTS)).exactOptional(),
  ...(Object.fromEntries(ORDER_FIELDS) as Record<never, never>),
});

/** `NewEvent` and its type: any other key goes into the event. */
export const newEvent = z.looseObject({
  eventType: required,
  clientId: optional,
  orderId: optional,
  eventId: optional,
  createdAt: optional,
  metadata: jsonObject.exactOptional(),
  orderURL: optional,
});

/** A merchant document or a part of one, and its store. */
export const merchantChange = z.object({ clientId: optional }).catchall(json);

/** A string that can be sent in a header or a form as it is. */
const credential = required.regex(/^\P{Cc}*$/u);

export const newStore = z.strictObject({
  clientId: credential,
  clientSecret: credential,
  apiKey: credential,
  merchant: jsonObject.exactOptional(),
});

const faultLike = z.union([
  z.int().min(200).max(599),
  // Two steps, so that a value that is not a string is of the wrong type.
  z.string().pipe(z.enum(SIMPLE_FAULTS)),
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('status').exactOptional(),
      status: z.int().min(200).max(599),
      headers: z.record(z.string(), z.string()).exactOptional(),
      body: z.unknown().exactOptional(),
    }),
    z.strictObject({ type: z.literal('latency'), ms: z.number().min(0) }),
    z.strictObject({ type: z.enum(SIMPLE_FAULTS) }),
  ]),
]);

export const nextFaults = z.strictObject({
  clientId: optional,
  endpoint: z.enum(ENDPOINT_NAMES),
  fault: faultLike,
  times: z.int().min(1).exactOptional(),
});

export const randomFaults = z.strictObject({
  clientId: optional,
  seed: z.union([z.number(), z.string()]),
  rate: z.number().min(0).max(1),
  types: z.array(z.enum(FAULT_TYPES)).exactOptional(),
  endpoints: z.array(z.enum(ENDPOINT_NAMES)).exactOptional(),
});
