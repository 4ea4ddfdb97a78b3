import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';

import {
  closeOnSignal,
  type FleetStore,
  HubFleet,
  isHubError,
  livenessHandler,
  memoryState,
  type Order,
  readinessHandler,
} from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { fileWith } from '../temporary.js';

/** Time passes while a test waits for something: a tenth of a second of fake time in each turn of the event loop. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  let isOver = false;
  let passing: NodeJS.Immediate;
  const pass = async () => {
    await vi.advanceTimersByTimeAsync(100);
    if (!isOver) passing = setImmediate(pass);
  };
  passing = setImmediate(pass);
  return () => {
    isOver = true;
    clearImmediate(passing);
    vi.useRealTimers();
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  };
});

const TWO_STORES: FleetStore[] = [
  { storeId: 'rua-augusta', clientId: '1001', clientSecret: 'secret-1001' },
  { storeId: 'ipanema', clientId: '1002', clientSecret: 'secret-1002' },
];

/** A mock hub at https://hub.example with these stores. */
function hubOf(stores: readonly FleetStore[]) {
  const mock = createMockHub();
  for (const { clientId, clientSecret } of stores) {
    mock.addStore({ clientId, clientSecret: clientSecret as string, apiKey: `key-${clientId}` });
  }
  // Without the real time that MSW takes.
  vi.stubGlobal('fetch', mock.fetch);
  return mock;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

it('polls a list of stores', async () => {
  const mock = hubOf(TWO_STORES);
  mock.createOrder({ clientId: '1001' });
  mock.createOrder({ clientId: '1002' });
  const state = memoryState();
  const saved: string[] = [];
  const save = async (storeId: string, order: Order) => void saved.push(`${storeId} ${order.type}`);
  const report = vi.fn();
  // #region fleet
  const fleet = new HubFleet({
    baseUrl: 'https://hub.example',
    state, // redisState(redis) for several hosts, fileState('./hub-state') for one
    stores: [
      { storeId: 'rua-augusta', clientId: '1001', clientSecret: 'secret-1001' },
      { storeId: 'ipanema', clientId: '1002', clientSecret: 'secret-1002' },
    ],
  });
  fleet.on('CREATED', async (event, { storeId, hub }) => {
    const { order } = await hub.orders.get(event.orderId); // hub is the client of this store
    await save(storeId, order);
  });
  fleet.on('error', (error, { storeId }) => report(storeId, error));
  await fleet.start(); // resolves when every store was polled once
  const stopListening = closeOnSignal(fleet); // waits for listeners, and acknowledges what they have handled
  // #endregion
  onTestFinished(stopListening);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await until(() => saved.length === 2 && mock.pending('1001').length + mock.pending('1002').length === 0);
  process.emit('SIGTERM');
  await until(() => log.mock.calls.length > 0);
  expect(log.mock.calls).toEqual([['closed on SIGTERM: 2 handled, 2 acknowledged, 0 left at the hub']]);
  expect(fleet.health('ipanema').status).toBe('idle');
  log.mockRestore();
  expect(saved.map((line) => line.split(' ')[0]).sort()).toEqual(['ipanema', 'rua-augusta']);
  expect(report).not.toHaveBeenCalled();
  expect(mock.violations()).toEqual([]);
});

it('reads the stores of a function again, and adds and removes others', async () => {
  const mock = hubOf([
    ...TWO_STORES,
    { storeId: 'centro', clientId: '1003', clientSecret: 'secret-1003' },
    { storeId: 'savassi', clientId: '1004', clientSecret: 'secret-1004' },
  ]);
  const rows = [{ id: 'rua-augusta', hub_client: '1001' }];
  const database = { query: async (_sql: string) => rows };
  const vault = { read: async (path: string) => path.replace('hub/', 'secret-') };
  // #region source
  const fleet = new HubFleet({
    baseUrl: 'https://hub.example',
    stores: async function* () {
      for (const { id, hub_client } of await database.query('select id, hub_client from stores')) {
        // A secret can be a function too: then it is not in memory, and can be rotated.
        const clientSecret = () => vault.read(`hub/${hub_client}`);
        yield { storeId: id, clientId: hub_client, clientSecret };
      }
    },
    storesRefreshMs: 60_000,
  });
  // #endregion
  fleet.on('event', () => {});
  onTestFinished(() => void fleet.stop());
  await fleet.start();
  rows.push({ id: 'ipanema', hub_client: '1002' });
  await until(() => fleet.health().stores === 2 && fleet.health('ipanema').status === 'running');
  // #region add
  await fleet.add({ storeId: 'centro', clientId: '1003', clientSecret: 'secret-1003' });
  await fleet.remove('rua-augusta'); // resolves when its listeners have ended and their events are acknowledged
  // #endregion
  expect(() => fleet.health('rua-augusta')).toThrow('is not a store of this fleet');
  expect(fleet.health().stores).toBe(2);
  expect(mock.violations()).toEqual([]);
});

it('pauses a store, and polls another one before its time', async () => {
  const mock = hubOf(TWO_STORES);
  const fleet = new HubFleet({ baseUrl: 'https://hub.example', stores: TWO_STORES });
  const polled: string[] = [];
  fleet.on('event', () => {}).on('polled', (_poll, { storeId }) => void polled.push(storeId));
  onTestFinished(() => void fleet.stop());
  await fleet.start();
  polled.length = 0;
  const pausedAt = Date.now();
  // #region pause
  fleet.pause('rua-augusta'); // without an argument: every store, also those that come later
  fleet.poll('ipanema'); // its next poll is sent as soon as the hub's limit allows
  // #endregion
  await until(() => polled.includes('ipanema'));
  expect(Date.now() - pausedAt).toBeLessThan(2000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fleet.health('rua-augusta').status).toBe('paused');
  expect(polled).not.toContain('rua-augusta');
  // #region resume
  fleet.resume('rua-augusta'); // polls again; at once if a poll is due
  // #endregion
  await until(() => polled.includes('rua-augusta'));
  expect(mock.violations()).toEqual([]);
});

it('has probes, which fail neither because of one store or a listener nor because the hub is down', async () => {
  const mock = hubOf(TWO_STORES);
  const poller = { listenerTimeoutMs: 86_400_000 };
  const fleet = new HubFleet({ baseUrl: 'https://hub.example', stores: TWO_STORES, poller });
  fleet.on('event', () => new Promise(() => {})).on('error', () => {});
  onTestFinished(() => void fleet.stop());
  await fleet.start();
  // #region health
  const live = livenessHandler(fleet); // for a restart of the process
  const ready = readinessHandler(fleet);
  const server = createServer((request, response) =>
    request.url === '/livez' ? live(request, response) : ready(request, response),
  );
  // #endregion
  expect(await statusOf(server)).toBe(200);
  expect(fleet.health()).toMatchObject({ stores: 2, polling: 2, refused: 0 });
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '3600' } });
  await vi.advanceTimersByTimeAsync(1_800_000);
  expect(fleet.health().oldestPollMs).toBeGreaterThan(1_700_000);
  expect(await statusOf(server)).toBe(200);
  mock.faults.random({ seed: 1, rate: 1, endpoints: ['polling'], types: ['reset'] });
  await vi.advanceTimersByTimeAsync(5_400_000);
  expect(fleet.health()).toMatchObject({ backingOff: 2 });
  expect(await statusOf(server)).toBe(200);
  mock.faults.clear();
  for (const { clientId } of TWO_STORES) mock.createOrder({ clientId });
  await until(() => fleet.health().running === 2);
  // A restart would not help listeners that hang.
  await vi.advanceTimersByTimeAsync(1_300_000);
  expect(await statusOf(server)).toBe(200);
  void fleet.stop();
  expect([await statusOf(server), await statusOf(server, '/readyz')]).toEqual([200, 503]);
});

const statusOf = (server: Server, url = '/livez') =>
  new Promise((resolve) => {
    const response = { statusCode: 0, setHeader: () => {}, end: () => resolve(response.statusCode) };
    server.emit('request', { url }, response);
  });

it('takes its shard from the name of the pod, and its stores from a file', async () => {
  const mock = hubOf(TWO_STORES);
  vi.stubEnv('STORES_FILE', fileWith(JSON.stringify(TWO_STORES)));
  const polled: string[] = [];
  for (const name of ['pos-0', 'pos-1']) {
    vi.stubEnv('HOSTNAME', name);
    vi.stubEnv('SHARDS', '2');
    const state = memoryState();
    // #region shard
    const index = Number(process.env.HOSTNAME?.split('-').at(-1)); // 'pos-3' is number 3
    const fleet = new HubFleet({
      baseUrl: 'https://hub.example',
      state, // redisState(new Redis(process.env.REDIS_URL)): one Redis for all pods
      stores: () => JSON.parse(readFileSync(process.env.STORES_FILE ?? 'stores.json', 'utf8')),
      shard: { index, of: Number(process.env.SHARDS) },
    });
    // #endregion
    fleet.on('event', () => {}).on('polled', (_poll, { storeId }) => void polled.push(storeId));
    await fleet.start();
    await fleet.stop();
  }
  expect([...new Set(polled)].sort()).toEqual(['ipanema', 'rua-augusta']);
  expect(mock.violations()).toEqual([]);
});

it('polls one store once, for any queue', async () => {
  const mock = hubOf(TWO_STORES);
  const { orderId } = mock.createOrder({ clientId: '1001' }).event;
  const state = memoryState();
  const saved: string[] = [];
  const fleet = new HubFleet({ baseUrl: 'https://hub.example', state, stores: TWO_STORES });
  fleet.on('CREATED', ({ orderId: id }) => void saved.push(id));
  const other = new HubFleet({ baseUrl: 'https://hub.example', state, stores: TWO_STORES });
  other.on('CREATED', ({ orderId: id }) => void saved.push(id));
  // #region run-once
  async function pollStore(storeId: string, options: { signal?: AbortSignal } = {}): Promise<void> {
    try {
      const report = await fleet.runOnce(storeId, options);
      if (report.skipped) return; // another process polls this store at the moment
      if (report.failures.length > 0) console.warn(storeId, report.failures); // the hub sends these again
    } catch (error) {
      if (!isHubError(error) || !error.retryable) throw error; // a person must look at it
    }
  }
  // #endregion
  await Promise.all([pollStore('rua-augusta'), other.runOnce('rua-augusta')]);
  expect(saved).toEqual([orderId]);
  await pollStore('rua-augusta');
  expect(mock.pending('1001')).toEqual([]);
  expect(mock.violations()).toEqual([]);
});
