// jest in CommonJS: `mock.fetch` replaces the hub. Nothing else to install or to transform.
const { HubClient } = require('opendelivery-client');
const { createMockHub, ManualClock } = require('opendelivery-client/testing');
const { receiveOrders } = require('../app/orders.cjs');
const { openTable } = require('./table.cjs');

let clock, mock, hub, table;

const connect = () =>
  new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock, logger: false });

beforeEach(async () => {
  clock = new ManualClock();
  mock = createMockHub({ clock });
  hub = connect();
  table = await openTable(clock);
});

afterEach(async () => {
  await hub.close(); // also stops the poller
  await table.drop();
  expect(mock.violations()).toEqual([]); // the app has broken no rule of the hub
});

const confirmations = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');

test('waits as long as the hub requests, and confirms no order before it is saved', async () => {
  const log = jest.fn();
  jest.spyOn(table, 'save').mockRejectedValueOnce(new Error('the table is locked'));
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '90' } });
  mock.faults.next('orderStatus', 'reset');
  const { orderId } = mock.createOrder();

  const started = receiveOrders({ hub, table, log }); // resolves after the first successful poll,
  await clock.advance('100s'); // which needs time to pass
  await started;
  expect(log.mock.calls).toEqual([['polling: the hub responded with 429'], ['the table is locked']]);
  expect(mock.acknowledged()).toEqual([]);
  expect(confirmations()).toEqual([]);

  await clock.advance('30s'); // the hub sends the event again
  expect(await table.orderIds()).toEqual([orderId]);
  await clock.advance('1m'); // and once more, because the confirmation did not reach it
  expect(confirmations()).toHaveLength(1);
  expect(mock.pending()).toEqual([]);
});

test('confirms an order once, also if its event comes again after a restart', async () => {
  const { orderId, event } = mock.createOrder();
  await receiveOrders({ hub, table });
  await clock.advance('1m');
  await hub.close();

  mock.redeliver(event.eventId);
  await clock.advance('1m');
  hub = connect();
  await receiveOrders({ hub, table });
  await clock.advance('1m');
  expect(await table.orderIds()).toEqual([orderId]);
  expect(confirmations()).toHaveLength(1);
  expect(mock.pending()).toEqual([]);
});

test('removes a cancelled order from the table', async () => {
  const { orderId } = mock.createOrder();
  await receiveOrders({ hub, table });
  await clock.advance('30s');
  expect(await table.orderIds()).toEqual([orderId]);
  mock.emit('CANCELLED', { orderId });
  await clock.advance('30s');
  expect(await table.orderIds()).toEqual([]);
});
