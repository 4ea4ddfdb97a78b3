import { ConfigurationError, HubClient, type HubClientOptions } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

function closedAfterTest(hub: HubClient): HubClient {
  onTestFinished(async () => void (await hub.close()));
  return hub;
}

describe('credentials', () => {
  function clientWith(options: Partial<HubClientOptions> = {}) {
    const mock = createMockHub({ clock: new ManualClock() });
    const hub = new HubClient({ baseUrl: mock.baseUrl, fetch: mock.fetch, logger: false, ...options });
    return { mock, hub: closedAfterTest(hub) };
  }

  it('are checked by the call that needs them, which sends nothing if they are missing', async () => {
    const { mock, hub } = clientWith();
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

  it('need a clientSecret for the clientId', async () => {
    const { hub, mock } = clientWith({ clientId: '1001' });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ option: 'clientSecret' });
    expect(mock.requests).toEqual([]);
  });

  it('are independent: the merchant document needs only the apiKey, events only the client id and secret', async () => {
    const clock = new ManualClock();
    const { credentials } = createMockHub();
    const { clientId, clientSecret, apiKey } = credentials;
    const menu = clientWith({ clock, apiKey }).hub;
    expect((await menu.merchant.get()).issues).toEqual([]);
    const events = clientWith({ clock, clientId, clientSecret }).hub;
    expect(await events.events.poll()).toEqual({ events: [], issues: [] });
  });

  it.each(['apiKey', 'clientSecret'] as const)(
    'a function for %s that returns what cannot be sent is refused, and nothing is sent',
    async (name) => {
      const others = name === 'apiKey' ? ['chave-é'] : [];
      for (const value of ['', 'hunter2\r\nx-admin: 1', undefined, null, 5, ...others]) {
        const secret = () => value as unknown as string;
        const { mock, hub } = clientWith({ clientId: '1001', clientSecret: 'other', [name]: secret });
        const call = name === 'apiKey' ? hub.merchant.get() : hub.auth.getToken();
        const error = (await call.catch((reason: unknown) => reason)) as ConfigurationError;
        expect(error).toMatchObject({ code: 'configuration', option: name });
        expect(error.message).not.toContain('hunter2');
        expect(mock.requests).toEqual([]);
      }
    },
  );

  it('lose the blanks around them, whether from an option, a function or the environment', async () => {
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
      const hub = closedAfterTest(HubClient.fromEnv({ baseUrl, fetch, clientId, logger: false, ...options }));
      await hub.auth.getToken();
      await hub.merchant.get();
      expect(mock.requests.map(({ status }) => status)).toEqual([200, 200]);
    }
  });

  it('a rotated API key is sent after a 401, once, and the same one is not sent again', async () => {
    for (const [keys, statuses] of [
      [
        ['old', 'mock-api-key'],
        [401, 200],
      ],
      [['old', 'old'], [401]],
    ] as const) {
      const left = [...keys];
      // A key is asked for the scope of the quota too.
      let key = left.shift();
      const { mock, hub } = clientWith({ apiKey: () => key as string });
      hub.on('response', ({ status }) => {
        if (status === 401) key = left.shift() ?? key;
      });
      await hub.merchant.get().catch(() => {});
      expect(mock.requests.map(({ status }) => status)).toEqual(statuses);
    }
  });

  it('may not be blank', async () => {
    for (const name of ['clientSecret', 'apiKey']) {
      expect(() => clientWith({ clientId: '1001', [name]: '  ' })).toThrow(ConfigurationError);
    }
    await expect(clientWith({ apiKey: () => ' ' }).hub.merchant.get()).rejects.toMatchObject({
      option: 'apiKey',
    });
  });
});
