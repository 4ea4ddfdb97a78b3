import { ENDPOINTS, EVENT_TYPES } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { ENDPOINT_NAMES } from '../src/hub/endpoints.js';

it('the endpoints are those of Spec §4 with the limits of §8', () => {
  const rows = Object.values(ENDPOINTS).map(({ method, path, auth, limit, windowMs }) => [
    `${method} ${path}`,
    auth,
    limit,
    windowMs / 1000,
  ]);
  expect(rows).toEqual([
    ['POST /oauth/token', 'none', 10, 3600],
    ['GET /v1/merchant', 'apiKey', 10, 60],
    ['GET /v1/events:polling', 'bearer', 2, 60],
    ['POST /v1/events/acknowledgment', 'bearer', 100, 60],
    ['GET /v1/orders/{orderId}', 'bearer', 100, 60],
    ['POST /v1/orders/{orderId}/{status}', 'bearer', 100, 60],
  ]);
  expect(ENDPOINT_NAMES).toEqual(Object.keys(ENDPOINTS));
});

it('only a command for an order may not be sent twice', () => {
  const unsafe = ENDPOINT_NAMES.filter((name) => ENDPOINTS[name].resend === 'unsent');
  expect(unsafe).toEqual(['orderStatus']);
});

it('the event types are the fifteen of Spec §6.1', () => {
  expect([...EVENT_TYPES].sort()).toEqual([
    'CANCELLATION_REQUESTED',
    'CANCELLATION_REQUEST_DENIED',
    'CANCELLED',
    'CANCELLED_DENIED',
    'CONCLUDED',
    'CONFIRMED',
    'CREATED',
    'DELIVERED',
    'DISPATCHED',
    'ORDER_CANCELLATION_REQUEST',
    'PICKED_UP',
    'PICKUP_AREA_ASSIGNED',
    'PREPARATION_REQUESTED',
    'PREPARING',
    'READY_FOR_PICKUP',
  ]);
});
