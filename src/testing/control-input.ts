import * as z from 'zod';
import { SERVICE_TYPES, TIMINGS } from '../schemas/common.js';
import { orderSchema } from '../schemas/order.js';
import * as faults from './faults.js';
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

export const nextFaults = faults.nextFaults.extend({ clientId: optional });

export const randomFaults = faults.randomFaults.extend({ clientId: optional });
