import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { closeOnSignal, HubClient, livenessHandler, readinessHandler } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { postgresState } from 'opendelivery-client/sql';
import { createMockHub } from 'opendelivery-client/testing';
import { Pool } from 'pg';
import pino from 'pino';
import { Agent, type Dispatcher } from 'undici';
import { afterEach, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import { checksOnlyTypes } from '../assertions.js';
import { soon } from '../soon.js';
import { stage } from '../support.js';

/** Type-checked here; test/state/redis runs it against a Redis. */
function withRedis() {
  // #region redis
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  const hub = HubClient.fromEnv({ state: redisState(redis) });
  // #endregion
  return hub;
}

it('takes an ioredis client', () => {
  checksOnlyTypes();
  expectTypeOf(withRedis).returns.toEqualTypeOf<HubClient>();
});

/** Type-checked here; test/state/postgres runs it against a Postgres. */
async function withPostgres() {
  // #region postgres
  const pool = new Pool({
    connectionString: process.env.DATABASE_URL ?? 'postgres://127.0.0.1/app',
    max: 10,
    connectionTimeoutMillis: 3000,
    statement_timeout: 3000,
  });
  const state = postgresState(pool);
  await state.migrate(); // makes the tables; again does nothing
  const hub = HubClient.fromEnv({ state });
  // #endregion
  return hub;
}

it('takes a pool of node-postgres', () => {
  checksOnlyTypes();
  expectTypeOf(withPostgres).returns.resolves.toEqualTypeOf<HubClient>();
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('answers the probes of a container', async () => {
  const { hub, clock } = stage();
  const poller = hub.poller();
  poller.on('event', () => {});
  await poller.start();
  // #region health
  const live = livenessHandler(poller);
  const ready = readinessHandler(poller);
  const server = createServer((request, response) =>
    request.url === '/livez' ? live(request, response) : ready(request, response),
  );
  server.listen(0, '127.0.0.1'); // in a container: server.listen(8080)
  // #endregion
  onTestFinished(() => void server.close());
  const statusOf = (url: string) =>
    new Promise((resolve) => {
      const response = { statusCode: 0, setHeader: () => {}, end: () => resolve(response.statusCode) };
      server.emit('request', { url }, response);
    });
  expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 200]);
  await poller.stop();
  expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 503]);
  await clock.advance('1s');
  expect((server.address() as AddressInfo).address).toBe('127.0.0.1');
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'stops on %s, and says what it has not acknowledged',
  async (signal) => {
    const { hub, mock, clock } = stage();
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const pool = { end: vi.fn() };
    const poller = hub.poller();
    poller.on('event', () => {});
    mock.createOrder();
    await poller.start();
    // #region shutdown
    const remove = closeOnSignal(hub, { close: () => pool.end() }, { timeoutMs: 20_000 });
    // #endregion
    onTestFinished(remove);
    process.emit(signal);
    await clock.advance('1s');
    await soon(() =>
      expect(log).toHaveBeenCalledWith(`closed on ${signal}: 1 handled, 1 acknowledged, 0 left at the hub`),
    );
    expect(pool.end).toHaveBeenCalledOnce();
  },
);

it('writes to pino without an adapter', async () => {
  const { mock } = stage();
  vi.stubEnv('HUB_BASE_URL', mock.baseUrl);
  vi.stubEnv('HUB_API_KEY', mock.credentials.apiKey);
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  // #region logger
  const logger = pino({ level: 'info' }, destination);
  const hub = HubClient.fromEnv({ logger, appInfo: { name: 'my-pos', version: '1.4.0' } });
  hub.on('response', ({ endpoint, status, durationMs, requestId }) => {
    logger.info({ endpoint, status, durationMs, requestId }, 'response from the hub');
  });
  // #endregion
  await hub.merchant.get();
  await hub.close();
  expect(JSON.parse(written[0] ?? '')).toMatchObject({ endpoint: 'merchant', status: 200 });
  expect(mock.requests[0]?.headers['user-agent']).toMatch(/^opendelivery-client\/\S+ my-pos\/1\.4\.0$/);
});

it('takes secrets from a function, and a proxy', async () => {
  const store = { clientId: '1001', clientSecret: 'a secret', apiKey: 'a key' };
  const mock = createMockHub({ stores: [store] });
  const { url, close } = await mock.listen();
  onTestFinished(close);
  const vault = {
    read: async (name: string) => (name === 'hub/client-secret' ? store.clientSecret : store.apiKey),
  };
  const proxied: unknown[] = [];
  /** In place of undici's: it notes what it is given to send, and sends it to the mock hub. */
  class ProxyAgent extends Agent {
    constructor(readonly proxy: string) {
      super();
    }
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      proxied.push([this.proxy, `${options.origin}${options.path}`]);
      return super.dispatch({ ...options, origin: url }, handler);
    }
  }
  // #region secrets
  const hub = new HubClient({
    baseUrl: 'https://hub.example',
    clientId: '1001',
    clientSecret: () => vault.read('hub/client-secret'), // called for each token request
    apiKey: () => vault.read('hub/api-key'),
    dispatcher: new ProxyAgent('http://proxy.example:3128'),
  });
  // #endregion
  await hub.auth.getToken();
  await hub.merchant.get();
  await hub.close();
  expect(mock.violations()).toEqual([]);
  expect(proxied).toEqual([
    ['http://proxy.example:3128', 'https://hub.example/opendelivery/oauth/token'],
    ['http://proxy.example:3128', 'https://hub.example/opendelivery/v1/merchant'],
  ]);
});
