// vitest with MSW: `mock.handlers` replace the hub. The app needs no option for it.
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
  await hub.close(); // also stops the poller
  server.close();
  await table.drop();
  expect(mock.violations()).toEqual([]); // the app has broken no rule of the hub
});

it('saves an order before it confirms it, and confirms it once', async () => {
  const log = vi.fn();
  vi.spyOn(table, 'save').mockRejectedValueOnce(new Error('the table is locked'));
  mock.faults.next('orderStatus', 'reset'); // the first confirmation does not reach the hub
  mock.faults.next('orderStatus', 'lost'); // the second one does, but its response is lost
  const { orderId } = mock.createOrder();
  const confirmations = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');

  await receiveOrders({ hub, table, log });
  await clock.advance('1s');
  expect(log).toHaveBeenCalledWith('the table is locked');
  expect(mock.acknowledged()).toEqual([]);
  expect(confirmations()).toEqual([]);

  await clock.advance('30s'); // the hub sends the event again
  expect(await table.orderIds()).toEqual([orderId]);
  await clock.advance('1m'); // and once more, until the confirmation has succeeded
  expect(confirmations()).toHaveLength(1);
  expect(mock.pending()).toEqual([]);
});

it('removes a cancelled order from the table', async () => {
  const { orderId } = mock.createOrder();
  await receiveOrders({ hub, table });
  await clock.advance('30s');
  expect(await table.orderIds()).toEqual([orderId]);
  mock.emit('CANCELLED', { orderId });
  await clock.advance('30s');
  expect(await table.orderIds()).toEqual([]);
});
