/** What every consumer does, on whatever build and Node it is given. */
const assert = require('node:assert/strict');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

exports.flow = async ({ HubClient, isHubError }, { merchantSchema }, { createMockHub, ManualClock }) => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const server = await mock.listen();
  const hub = new HubClient({ baseUrl: server.url, ...mock.credentials, clock });
  const { merchant } = await hub.merchant.get();
  assert.equal(merchant.basicInfo.name, 'Forno da Vila');
  assert.deepEqual(merchantSchema.parse(merchant), merchant);
  const handled = [];
  const errors = [];
  const poller = hub.poller();
  poller.on('error', (error) => errors.push(error));
  poller.on('CREATED', async (event) => {
    await hub.orders.confirm(event.orderId);
    handled.push(event.eventId);
  });
  // One failure, so that the lazily loaded retries are there too.
  mock.faults.next('orderStatus', { type: 'status', status: 429, headers: { 'retry-after': '2' } });
  const { event } = mock.createOrder();
  await poller.start();
  await clock.advance('1m');
  const report = await poller.stop();
  assert.deepEqual(errors, []);
  assert.deepEqual(handled, [event.eventId]);
  assert.equal(report.unacknowledged.length, 0);
  assert.deepEqual(mock.pending(), []);
  assert.deepEqual(mock.violations(), []);
  await assert.rejects(hub.orders.get('unknown'), (error) => isHubError(error) && error.code === 'not_found');
  await hub.close();
  await server.close();
};

exports.host = async ({ HubClient }, { createMockHub, ManualClock }, { profile }) => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, profile });
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    profile,
    fetch: mock.fetch,
    clock,
  });
  await assert.rejects(
    hub.events.poll(),
    /404: 99Food answers this until the application is in its allow list/,
  );
  await hub.close();
};

exports.state = async ({ fileState, isHubError, systemClock }, { redisState }, { postgresState }) => {
  const isOurs = (code) => (error) => isHubError(error) && error.code === code;
  const directory = mkdtempSync(join(tmpdir(), 'consumer-state-'));
  // Node 20 has no SQLite, and this project installs none.
  if (process.versions.node.startsWith('20.')) {
    assert.throws(() => fileState(directory), /npm install better-sqlite3@12 or libsql/);
  } else await storesAndReopens(() => fileState(directory), systemClock);
  rmSync(directory, { recursive: true });

  assert.throws(() => redisState({}), isOurs('configuration'));
  const away = async () => {
    throw new Error('away');
  };
  const state = redisState({ evalsha: away, eval: away });
  await assert.rejects(state.get('key', systemClock), isOurs('state'));
  await assert.rejects(postgresState({ query: away }).get('key', systemClock), isOurs('state'));
};

exports.mocks = async ({ HubClient }, { createMockHub }, { setupServer }, undici) => {
  const mock = createMockHub();
  const options = { baseUrl: mock.baseUrl, ...mock.credentials, retry: { attempts: 1 }, logger: false };

  const server = setupServer(...mock.handlers);
  // MSW 3 has the option under another name.
  server.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' });
  const hub = new HubClient(options);
  assert.deepEqual((await hub.events.poll()).events, []);
  assert.equal((await hub.merchant.get()).issues.length, 0);
  const elsewhere = new HubClient({ ...options, baseUrl: 'https://elsewhere.example' });
  await assert.rejects(elsewhere.events.poll());
  server.close();

  const before = undici.getGlobalDispatcher();
  const agent = new undici.MockAgent();
  agent.disableNetConnect();
  const catches = async (more) => {
    agent
      .get('https://hub.example')
      .intercept({ path: '/opendelivery/v1/merchant', method: 'GET' })
      .reply(200, { id: 'from the MockAgent' }, { headers: { 'content-type': 'application/json' } });
    const mocked = new HubClient({ ...options, ...more });
    assert.equal((await mocked.merchant.get()).merchant.id, 'from the MockAgent');
    await assert.rejects(new HubClient({ ...options, ...more }).merchant.get());
    await mocked.close();
  };
  await catches({ dispatcher: agent });
  await catches({ dispatcher: agent.compose((dispatch) => dispatch) });
  await catches({ dispatcher: agent, fetch: undici.fetch });
  undici.setGlobalDispatcher(agent);
  await catches({});
  undici.setGlobalDispatcher(before);

  const listening = await mock.listen();
  const dispatcher = new undici.Agent();
  const direct = new HubClient({ ...options, baseUrl: listening.url, dispatcher });
  assert.equal((await direct.merchant.get()).issues.length, 0);
  await Promise.all([hub.close(), elsewhere.close(), direct.close()]);
  await dispatcher.close();
  await listening.close();
};

async function storesAndReopens(open, clock) {
  const first = open();
  await first.mark('handled', ['a'], { handled: true, forMs: 60_000 }, clock);
  await first.set('menu', '{}', { forMs: 60_000 }, clock);
  const slot = await first.reserve('quota', { limit: 1, holdMs: 60_000 }, clock);
  assert.equal(slot.granted, true);
  await first.close();
  const second = open();
  const marks = await second.recall('handled', ['a', 'b'], { handledMs: 60_000, attemptedMs: 60_000 }, clock);
  assert.deepEqual(
    marks.map(({ handled }) => handled),
    [true, false],
  );
  assert.equal(await second.get('menu', clock), '{}');
  assert.equal((await second.reserve('quota', { limit: 1, holdMs: 60_000 }, clock)).granted, false);
  await second.close();
}
