// node:test over HTTP: `mock.listen()` serves the hub on a local port, for apps in any language.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { receiveOrders } from '../app/orders.cjs';
import { openTable } from './table.cjs';

test('after an hour of faults, every order is saved, confirmed once, and acknowledged', async (t) => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const server = await mock.listen();
  const hub = new HubClient({ baseUrl: server.url, ...mock.credentials, clock, logger: false });
  const table = await openTable(clock);
  t.after(async () => {
    await hub.close(); // also stops the poller
    await server.close();
    await table.drop();
  });

  const confirmed = () =>
    mock
      .emitted()
      .filter(({ eventType }) => eventType === 'CONFIRMED')
      .map(({ orderId }) => orderId);

  // 30 % of the requests fail, the same ones in every run.
  mock.faults.random({ seed: 2, rate: 0.3, types: ['status', 'reset', 'lost', 'hang'] });
  const locked = t.mock.method(table, 'save', () => Promise.reject(new Error('the table is locked')));
  const orderIds = [mock.createOrder().orderId];
  const started = receiveOrders({ hub, table, log: () => {} }); // resolves after the first successful poll
  await clock.advance('4m');
  assert.equal(locked.mock.callCount() > 0, true);
  assert.deepEqual(confirmed(), []);
  assert.deepEqual(mock.acknowledged(), []);

  locked.mock.restore();
  for (let minute = 0; minute < 60; minute += 3) {
    orderIds.push(mock.createOrder().orderId);
    await clock.advance('3m');
  }
  mock.faults.random({ seed: 2, rate: 0 });
  await clock.advance('10m');
  await started;
  assert.deepEqual(await table.orderIds(), orderIds.toSorted());
  assert.deepEqual(confirmed().toSorted(), orderIds.toSorted());
  assert.deepEqual(mock.pending(), []);

  mock.emit('CANCELLED', { orderId: orderIds[0] });
  await clock.advance('30s');
  assert.deepEqual(await table.orderIds(), orderIds.slice(1).toSorted());
  assert.deepEqual(mock.violations(), []); // the app has broken no rule of the hub
});
