import * as z from 'zod';
import { ENDPOINT_NAMES } from '../hub/endpoints.js';
import { jsonObject } from './control-input.js';
import { FAULT_TYPES } from './fault.js';

/** What the responses of the control API contain; for its description only, no response is checked against them. */

const endpoint = z.enum(ENDPOINT_NAMES);

export const done = z.object({ done: z.literal(true) });

export const event = z.looseObject({
  eventId: z.string(),
  eventType: z.string(),
  orderId: z.string(),
  createdAt: z.string(),
  orderURL: z.string(),
  metadata: jsonObject.optional(),
});

export const createdOrder = z.object({ orderId: z.string(), order: jsonObject, event });

export const events = z.object({
  emitted: z.array(event),
  pending: z.array(event),
  acknowledged: z.array(
    event.extend({ acknowledgedAt: z.number().describe('epoch ms on the clock of the hub') }),
  ),
});

export const deliveries = z.array(
  z.object({ eventId: z.string(), at: z.number(), attempt: z.int(), status: z.int().optional() }),
);

export const time = z.object({
  now: z.number().describe('epoch ms'),
  monotonic: z.number().describe('ms since the start; never goes back'),
  speed: z.number().describe('0: the clock moves only when it is advanced'),
  kind: z.enum(['scaled', 'manual', 'system']),
});

export const store = z.object({ clientId: z.string(), clientSecret: z.string(), apiKey: z.string() });

export const stores = z.array(store);

export const requests = z.array(
  z.object({
    at: z.number().describe('epoch ms on the clock of the hub'),
    monotonicAt: z.number(),
    endpoint: endpoint.optional(),
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string().describe('credentials are masked'),
    clientId: z.string().optional(),
    fault: z.looseObject({ type: z.enum(FAULT_TYPES) }).optional(),
    status: z.int().optional(),
    answeredMonotonicAt: z.number().optional(),
    events: z.array(event).optional(),
    acknowledged: z.array(z.string()).optional(),
  }),
);

export const violations = z.array(
  z.object({
    rule: z.string(),
    endpoint: endpoint.optional(),
    at: z.number().describe('epoch ms on the clock of the hub'),
    message: z.string(),
  }),
);

export const problem = z.object({
  title: z.string().describe('one sentence for each mistake'),
  status: z.int(),
});
