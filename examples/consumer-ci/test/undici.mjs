// undici's MockAgent: only the mock hub is reachable, and single requests get another response.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { receiveOrders } from '../app/orders.cjs';
import { openTable } from './table.cjs';

test('saves an order before it confirms it, also if a proxy responds instead of the hub', async (t) => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const server = await mock.listen();
  const before = getGlobalDispatcher();
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent.enableNetConnect(new URL(server.url).host);
  setGlobalDispatcher(agent); // the app needs no option for this
  const hub = new HubClient({ baseUrl: server.url, ...mock.credentials, clock });
  const table = await openTable(clock);
  t.after(async () => {
    await hub.close(); // also stops the poller
    setGlobalDispatcher(before);
    await agent.close();
    await server.close();
    await table.drop();
  });

  t.mock.method(table, 'save', () => Promise.reject(new Error('the table is locked')), { times: 1 });
  mock.faults.next('orderStatus', 'lost'); // then the hub confirms the order, but its response is lost
  const { orderId } = mock.createOrder();
  const confirmation = { path: `/opendelivery/v1/orders/${orderId}/confirm`, method: 'POST' };
  agent.get(server.url).intercept(confirmation).reply(502, '<html>Bad Gateway</html>');
  const confirmations = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');

  const log = t.mock.fn();
  await receiveOrders({ hub, table, log });
  await clock.advance('1s');
  assert.deepEqual(log.mock.calls[0]?.arguments, ['the table is locked']);
  assert.deepEqual(mock.acknowledged(), []);
  assert.deepEqual(confirmations(), []);

  await clock.advance('30s'); // the hub sends the event again
  assert.deepEqual(await table.orderIds(), [orderId]);
  await clock.advance('1m'); // and once more, until the confirmation has succeeded
  assert.equal(confirmations().length, 1);
  assert.deepEqual(mock.pending(), []);

  mock.emit('CANCELLED', { orderId });
  await clock.advance('30s');
  assert.deepEqual(await table.orderIds(), []);
  agent.assertNoPendingInterceptors();
  assert.deepEqual(mock.violations(), []); // the app has broken no rule of the hub
});
