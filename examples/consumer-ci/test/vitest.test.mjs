// vitest and MSW: `mock.handlers` stand for the hub, and the app needs no option for it.
import { setupServer } from 'msw/node';
import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { receiveOrders } from '../app/orders.cjs';
import { openTable } from './table.cjs';

let clock, mock, server, hub, table;

beforeEach(async () => {
  clock = new ManualClock();
  mock = createMockHub({ clock });
  server = setupServer(...mock.handlers);
  server.listen({ onUnhandledRequest: 'error' }); // nothing reaches a real hub
  hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, clock });
  table = await openTable(clock);
});

afterEach(async () => {
  await hub.close(); // stops the poller, too
  server.close();
  await table.drop();
  expect(mock.violations()).toEqual([]); // no limit of the hub was broken
});

it('writes an order down before it is confirmed, and confirms it once', async () => {
  const log = vi.fn();
  vi.spyOn(table, 'save').mockRejectedValueOnce(new Error('the table is locked'));
  mock.faults.next('orderStatus', 'reset'); // the first confirmation does not reach the hub;
  mock.faults.next('orderStatus', 'lost'); // the second one does, but the answer gets lost
  const { orderId } = mock.createOrder();
  const confirmations = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');

  await receiveOrders({ hub, table, log });
  await clock.advance('1s');
  expect(log).toHaveBeenCalledWith('the table is locked');
  expect(mock.acknowledged()).toEqual([]);
  expect(confirmations()).toEqual([]);

  await clock.advance('30s'); // the hub sends the event again
  expect(await table.orderIds()).toEqual([orderId]);
  await clock.advance('1m'); // and again, until it is known to be confirmed
  expect(confirmations()).toHaveLength(1);
  expect(mock.pending()).toEqual([]);
});

it('takes a cancelled order off the table', async () => {
  const { orderId } = mock.createOrder();
  await receiveOrders({ hub, table });
  await clock.advance('30s');
  expect(await table.orderIds()).toEqual([orderId]);
  mock.emit('CANCELLED', { orderId });
  await clock.advance('30s');
  expect(await table.orderIds()).toEqual([]);
});
