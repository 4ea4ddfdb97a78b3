// jest with ts-jest, a mock hub on its own clock, and a real Postgres at DATABASE_URL.
const { NestFactory } = require('@nestjs/core');
const { memoryState } = require('opendelivery-client');
const { createMockHub, ManualClock } = require('opendelivery-client/testing');
const { Pool } = require('pg');
const { ShopModule } = require('../src/shop.module.ts');

const connectionString = process.env.DATABASE_URL;
let app, clock, mock, state, url;

async function start() {
  const hub = { baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock, state };
  app = await NestFactory.create(ShopModule.forRoot(hub, new Pool({ connectionString })), { logger: false });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
}

beforeEach(async () => {
  const pool = new Pool({ connectionString });
  await pool.query('drop schema if exists opendelivery cascade');
  await pool.query('drop table if exists tickets');
  await pool.end();
  clock = new ManualClock();
  mock = createMockHub({ clock });
  state = memoryState(); // survives a restart, as postgresState does
  await start();
});

afterEach(async () => {
  await app.close();
  expect(mock.violations()).toEqual([]); // the shop has broken no rule of the hub
});

const tickets = async () => (await fetch(`${url}/tickets`)).json();
const confirmations = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED').length;

test('prints one ticket for an order and confirms it, also if the hub sends it again after a restart', async () => {
  const { orderId, event } = mock.createOrder({ type: 'TAKEOUT', customer: { name: 'Ana Souza' } });
  await clock.advance('2m');
  expect(await tickets()).toEqual([{ number: 1, order_id: orderId, customer: 'Ana Souza', status: 'new' }]);
  expect(confirmations()).toBe(1);

  await app.close();
  mock.redeliver(event.eventId);
  await start();
  await clock.advance('2m');
  expect(await tickets()).toHaveLength(1);
  expect(confirmations()).toBe(1);
  expect(mock.pending()).toEqual([]);
});

test('marks a ticket as ready when the hub has accepted that, and as cancelled', async () => {
  const { orderId } = mock.createOrder({ type: 'TAKEOUT' });
  await clock.advance('2m');
  const response = await fetch(`${url}/tickets/1/ready`, { method: 'POST' });
  expect(await response.json()).toMatchObject({ number: 1, status: 'ready' });
  expect(mock.emitted().map(({ eventType }) => eventType)).toContain('READY_FOR_PICKUP');
  mock.emit('CANCELLED', { orderId });
  await clock.advance('1m');
  expect(await tickets()).toMatchObject([{ number: 1, status: 'cancelled' }]);
  expect((await fetch(`${url}/tickets/7/ready`, { method: 'POST' })).status).toBe(404);
});

test('is ready with the first good poll', async () => {
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  await clock.advance('1m');
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});
