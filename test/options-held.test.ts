import { ConfigurationError, HubClient, type HubClientOptions, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { POLLER_DEFAULTS } from '../src/events/poller-options.js';
import { DEFAULTS, resolveOptions } from '../src/options.js';

const BASE_URL = 'https://hub.example';

const open: HubClient[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const each of open.splice(0)) await each.close();
});

function opened(hub: HubClient): HubClient {
  open.push(hub);
  return hub;
}

describe('options that hold', () => {
  it.each(['retry', 'rateLimit', 'merchant', 'maxResponseBytes'] as const)(
    'what %s leaves out keeps its default, one key at a time',
    (group) => {
      for (const [key, value] of Object.entries(DEFAULTS[group])) {
        const other = typeof value === 'number' ? value + 1 : key === 'mode' ? 'throw' : 'strict';
        const resolved = resolveOptions({ baseUrl: BASE_URL, [group]: { [key]: other } });
        expect(resolved[group]).toEqual({ ...DEFAULTS[group], [key]: other });
      }
      expect(resolveOptions({ baseUrl: BASE_URL, [group]: {} })[group]).toEqual(DEFAULTS[group]);
    },
  );

  it('undefined counts as not given, also nested', () => {
    const given = { baseUrl: BASE_URL, timeoutMs: undefined, retry: { attempts: undefined } };
    const { timeoutMs, retry } = resolveOptions(given as unknown as HubClientOptions);
    expect({ timeoutMs, retry }).toEqual({ timeoutMs: DEFAULTS.timeoutMs, retry: DEFAULTS.retry });
  });

  it('the defaults are those of the contract', () => {
    expect(DEFAULTS).toMatchObject({
      basePath: '/opendelivery',
      headers: {},
      timeoutMs: 30_000,
      retry: { attempts: 4, minDelayMs: 1000, maxDelayMs: 60_000, deadlineMs: 300_000 },
      rateLimit: { mode: 'wait', maxWaitMs: 900_000 },
      merchant: { maxStaleMs: 86_400_000, validation: 'lenient' },
      maxResponseBytes: { merchant: 67_108_864, other: 8_388_608 },
    });
    expect(POLLER_DEFAULTS).toEqual({
      intervalMs: 30_000,
      concurrency: 8,
      listenerTimeoutMs: 60_000,
      maxAttempts: Number.POSITIVE_INFINITY,
      unhandled: 'acknowledge',
      ordering: 'per-order',
      rememberMs: 86_400_000,
      leaseMs: 45_000,
    });
  });

  it('nobody can change the defaults for others', () => {
    expect(Object.isFrozen(DEFAULTS) && Object.isFrozen(POLLER_DEFAULTS)).toBe(true);
    for (const group of Object.values(DEFAULTS)) {
      if (typeof group === 'object' && group !== DEFAULTS.logger) expect(Object.isFrozen(group)).toBe(true);
    }
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1', 'http://127.9.8.7:1', 'http://[::1]:8080'])(
    'plain http to this machine is allowed: %s',
    (baseUrl) => {
      expect(resolveOptions({ baseUrl, tokenUrl: baseUrl })).toMatchObject({ baseUrl, tokenUrl: baseUrl });
    },
  );

  it('plain http elsewhere is allowed by allowInsecureHttp alone', () => {
    const baseUrl = 'http://hub.internal';
    expect(resolveOptions({ baseUrl, tokenUrl: baseUrl, allowInsecureHttp: true }).baseUrl).toBe(baseUrl);
    expect(() => resolveOptions({ baseUrl, allowInsecureHttp: false })).toThrow(/allowInsecureHttp: true/);
  });
});

describe('credentials', () => {
  function bare(options: Partial<HubClientOptions> = {}) {
    const mock = createMockHub({ clock: new ManualClock() });
    const hub = new HubClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, logger: false, ...options });
    return { mock, hub: opened(hub) };
  }

  it('missing ones are told at the call that needs them, not at construction, and nothing is sent', async () => {
    const { mock, hub } = bare();
    const poller = hub.poller().on('CREATED', () => {});
    const event = { eventId: 'e', orderId: 'o', eventType: 'CREATED' };
    const calls: Record<string, () => Promise<unknown>> = {
      token: () => hub.auth.getToken(),
      renewal: () => hub.auth.renew(),
      poll: () => hub.events.poll(),
      acknowledgment: () => hub.events.acknowledge([event]),
      order: () => hub.orders.get('o'),
      command: () => hub.orders.confirm('o'),
      start: () => poller.start(),
      runOnce: () => poller.runOnce(),
    };
    for (const [name, call] of Object.entries(calls)) {
      const error = await call().catch((reason: unknown) => reason);
      expect(error, name).toBeInstanceOf(ConfigurationError);
      expect(error, name).toMatchObject({ option: 'clientId' });
    }
    await expect(hub.merchant.get()).rejects.toMatchObject({ code: 'configuration', option: 'apiKey' });
    expect(mock.requests).toEqual([]);
    expect(poller.health().status).toBe('idle');
  });

  it('a clientId alone lacks its clientSecret', async () => {
    const { hub, mock } = bare({ clientId: '1001' });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ option: 'clientSecret' });
    expect(mock.requests).toEqual([]);
  });

  it('each of the two surfaces works without the credentials of the other', async () => {
    const clock = new ManualClock();
    const { credentials } = createMockHub();
    const { clientId, clientSecret, apiKey } = credentials;
    const menu = bare({ clock, apiKey }).hub;
    expect((await menu.merchant.get()).issues).toEqual([]);
    const events = bare({ clock, clientId, clientSecret }).hub;
    expect(await events.events.poll()).toEqual({ events: [], issues: [] });
  });

  it.each(['apiKey', 'clientSecret'] as const)(
    'a function for %s that gives what cannot be sent is refused before anything is',
    async (name) => {
      for (const value of ['', 'hunter2\r\nx-admin: 1', undefined, 5]) {
        const secret = () => value as string;
        const { mock, hub } = bare({ clientId: '1001', clientSecret: 'other', [name]: secret });
        const call = name === 'apiKey' ? hub.merchant.get() : hub.auth.getToken();
        const error = (await call.catch((reason: unknown) => reason)) as ConfigurationError;
        expect(error).toMatchObject({ code: 'configuration', option: name });
        expect(error.message).not.toContain('hunter2');
        expect(mock.requests).toEqual([]);
      }
    },
  );

  it('blanks around a secret are dropped, from an option, a function and the environment', async () => {
    const { credentials } = createMockHub();
    const padded = { clientSecret: ` ${credentials.clientSecret} `, apiKey: `${credentials.apiKey}  ` };
    vi.stubEnv('HUB_CLIENT_SECRET', padded.clientSecret);
    vi.stubEnv('HUB_API_KEY', padded.apiKey);
    const { clientId } = credentials;
    const ways: Partial<HubClientOptions>[] = [
      padded,
      { clientSecret: () => padded.clientSecret, apiKey: async () => padded.apiKey },
      {},
    ];
    for (const options of ways) {
      const mock = createMockHub({ clock: new ManualClock() });
      const { baseUrl, fetch } = mock;
      const hub = opened(HubClient.fromEnv({ baseUrl, fetch, clientId, logger: false, ...options }));
      await hub.auth.getToken();
      await hub.merchant.get();
      expect(mock.requests.map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  it('a secret of blanks alone is refused', async () => {
    for (const name of ['clientSecret', 'apiKey']) {
      expect(() => bare({ clientId: '1001', [name]: '  ' })).toThrow(ConfigurationError);
    }
    await expect(bare({ apiKey: () => ' ' }).hub.merchant.get()).rejects.toMatchObject({ option: 'apiKey' });
  });
});

describe('fromEnv', () => {
  function environment(baseUrl: string | undefined, { clientId = '', clientSecret = '', apiKey = '' } = {}) {
    vi.stubEnv('HUB_BASE_URL', baseUrl);
    vi.stubEnv('HUB_CLIENT_ID', clientId);
    vi.stubEnv('HUB_CLIENT_SECRET', clientSecret);
    vi.stubEnv('HUB_API_KEY', apiKey);
  }

  it('reads the four variables', async () => {
    const mock = createMockHub({ clock: new ManualClock(), baseUrl: 'https://from.env.example' });
    environment(mock.baseUrl, mock.credentials);
    const hub = opened(HubClient.fromEnv({ fetch: mock.fetch, logger: false }));
    await hub.merchant.get();
    await hub.auth.getToken();
    expect(mock.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['merchant', 200],
      ['token', 200],
    ]);
  });

  it('overrides win over the environment', async () => {
    const mock = createMockHub({ clock: new ManualClock() });
    environment('https://elsewhere.example', { clientId: '1', clientSecret: 'wrong', apiKey: 'wrong' });
    const { baseUrl, fetch, credentials } = mock;
    const hub = opened(HubClient.fromEnv({ baseUrl, fetch, ...credentials, logger: false }));
    await hub.auth.getToken();
    await hub.merchant.get();
    expect(mock.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([undefined, ''])('names HUB_BASE_URL where it is missing: %j', (value) => {
    environment(value, { clientSecret: 'hunter2' });
    const make = () => HubClient.fromEnv();
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/HUB_BASE_URL/);
    expect(make).not.toThrow(/hunter2/);
  });

  it('empty variables count as unset, and those parts are told of at their call', async () => {
    environment(BASE_URL);
    const hub = opened(HubClient.fromEnv({ logger: false }));
    await expect(hub.merchant.get()).rejects.toMatchObject({ option: 'apiKey' });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ option: 'clientId' });
  });

  it('looks at what it reads as at any option', () => {
    environment('http://hub.example');
    expect(() => HubClient.fromEnv()).toThrow(/^baseUrl: must be https/);
    environment(BASE_URL, { clientSecret: 'hunter2\n' });
    expect(() => HubClient.fromEnv()).toThrow(/^clientSecret: /);
    expect(() => HubClient.fromEnv()).not.toThrow(/hunter2/);
  });
});

describe('two clients of one store', () => {
  function warnings(...clients: ReadonlyArray<Partial<HubClientOptions>>): unknown[][] {
    const warn = vi.fn();
    const logger = { debug() {}, info() {}, warn, error() {} };
    for (const options of clients) {
      opened(new HubClient({ baseUrl: BASE_URL, clientSecret: 'hunter2', logger, ...options }));
    }
    return warn.mock.calls;
  }

  it('warn exactly once where they share no state, and say what to do', () => {
    const clientId = 'unshared';
    const calls = warnings({ clientId }, { clientId }, { clientId, state: memoryState() }, { clientId });
    expect(calls).toHaveLength(1);
    expect(String(calls[0]?.[0])).toMatch(/state.*memoryState\(\)/s);
    expect(JSON.stringify(calls)).not.toContain('hunter2');
  });

  it('never warn where they share a memoryState()', () => {
    const state = memoryState();
    const options = { clientId: 'shared', state };
    expect(warnings(options, options, options)).toEqual([]);
  });

  it('never warn for other stores, other token URLs, or menu readers', () => {
    const tokenUrl = 'https://auth.example/token';
    expect(warnings({ clientId: 'a1' }, { clientId: 'a2' }, { clientId: 'a1', tokenUrl })).toEqual([]);
    expect(warnings({ apiKey: 'k' }, { apiKey: 'k' })).toEqual([]);
  });

  it('never warn when the first is closed before the second is made', async () => {
    const clientId = 'one after another';
    expect(warnings({ clientId })).toEqual([]);
    for (const each of open.splice(0)) await each.close();
    expect(warnings({ clientId })).toEqual([]);
  });
});
