import { ConfigurationError, HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

function closedAfterTest(hub: HubClient): HubClient {
  onTestFinished(async () => void (await hub.close()));
  return hub;
}

function setEnvironment(baseUrl: string | undefined, { clientId = '', clientSecret = '', apiKey = '' } = {}) {
  vi.stubEnv('HUB_BASE_URL', baseUrl);
  vi.stubEnv('HUB_CLIENT_ID', clientId);
  vi.stubEnv('HUB_CLIENT_SECRET', clientSecret);
  vi.stubEnv('HUB_API_KEY', apiKey);
}

describe('HubClient.fromEnv', () => {
  it.each([
    [undefined, '/opendelivery'],
    ['', '/opendelivery'],
    ['/', ''],
    ['/api/', '/api'],
  ])('reads the base path from HUB_BASE_PATH: %j', async (value, basePath) => {
    const mock = createMockHub({ clock: new ManualClock(), basePath });
    setEnvironment(mock.baseUrl, mock.credentials);
    vi.stubEnv('HUB_BASE_PATH', value);
    const hub = closedAfterTest(HubClient.fromEnv({ fetch: mock.fetch, logger: false }));
    await hub.merchant.get();
    expect(mock.requests.map(({ path }) => path)).toEqual([`${basePath}/v1/merchant`]);
  });

  it('reads the four variables', async () => {
    const mock = createMockHub({ clock: new ManualClock(), baseUrl: 'https://from.env.example' });
    setEnvironment(mock.baseUrl, mock.credentials);
    const hub = closedAfterTest(HubClient.fromEnv({ fetch: mock.fetch, logger: false }));
    await hub.merchant.get();
    await hub.auth.getToken();
    expect(mock.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['merchant', 200],
      ['token', 200],
    ]);
  });

  it('prefers an option that is passed to the variable', async () => {
    const mock = createMockHub({ clock: new ManualClock() });
    setEnvironment('https://elsewhere.example', { clientId: '1', clientSecret: 'wrong', apiKey: 'wrong' });
    const { baseUrl, fetch, credentials } = mock;
    const hub = closedAfterTest(HubClient.fromEnv({ baseUrl, fetch, ...credentials, logger: false }));
    await hub.auth.getToken();
    await hub.merchant.get();
    expect(mock.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([undefined, ''])('names HUB_BASE_URL if that is %j', (value) => {
    setEnvironment(value, { clientSecret: 'hunter2' });
    const make = () => HubClient.fromEnv();
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/HUB_BASE_URL/);
    expect(make).not.toThrow(/hunter2/);
  });

  it.each([null, 'https://hub.example', 5, [[]], () => {}])(
    'refuses options that are not an object: %s',
    (options) => {
      setEnvironment('https://hub.example');
      const make = () => HubClient.fromEnv(options as never);
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(/^options: must be an object/);
    },
  );

  it('counts an empty variable as unset: the call that needs it rejects', async () => {
    setEnvironment('https://hub.example');
    const hub = closedAfterTest(HubClient.fromEnv({ logger: false }));
    await expect(hub.merchant.get()).rejects.toMatchObject({ option: 'apiKey' });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ option: 'clientId' });
  });

  it('checks a variable like an option', () => {
    setEnvironment('http://hub.example');
    expect(() => HubClient.fromEnv()).toThrow(/^baseUrl: must be https/);
    setEnvironment('https://hub.example', { clientSecret: 'hunter2\n' });
    expect(() => HubClient.fromEnv()).toThrow(/^clientSecret: /);
    expect(() => HubClient.fromEnv()).not.toThrow(/hunter2/);
  });
});
