import { expect, it } from 'vitest';
import { stage } from '../support.js';

it.each([
  ['created', 'CREATED'],
  ['Confirmed', 'CONFIRMED'],
  ['CANCELLATION_DENIED', 'CANCELLED_DENIED'],
  ['REFUNDED', 'REFUNDED'],
])('the lastEvent %s of an order is read as the type of an event: %s', async (sent, expected) => {
  const { mock, hub } = stage();
  const { orderId, order } = mock.createOrder();
  mock.faults.next('order', { type: 'status', status: 200, body: { ...order, lastEvent: sent } });
  expect((await hub.orders.get(orderId)).order.lastEvent).toBe(expected);
});
