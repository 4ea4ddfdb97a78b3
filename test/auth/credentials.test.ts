import { ConfigurationError, ENDPOINTS, systemClock } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { Credentials, type CredentialsOptions } from '../../src/auth/credentials.js';
import { Targets } from '../../src/http/endpoint-url.js';
import { Redactor } from '../../src/secrets/redactor.js';

function credentialsOf(options: Partial<CredentialsOptions> = {}) {
  const redactor = new Redactor();
  const credentials = new Credentials({
    targets: new Targets({
      baseUrl: 'https://hub.example',
      basePath: '/opendelivery',
      tokenUrl: undefined,
      endpoints: ENDPOINTS,
    }),
    clientId: '1001',
    clientSecret: 'a-client-secret',
    apiKey: 'an-api-key',
    headers: {},
    clock: systemClock,
    timeoutMs: 30_000,
    redactor,
    ...options,
  });
  return { credentials, redactor };
}

describe('secrets', () => {
  it('are masked as soon as they are known', async () => {
    const { credentials, redactor } = credentialsOf({
      apiKey: async () => 'a-rotated-key',
      headers: { 'x-partner': 'a-partner-key' },
    });
    expect(redactor.mask('a-client-secret a-partner-key')).toBe('[secret] [secret]');
    expect(redactor.mask('a-rotated-key')).toBe('a-rotated-key');
    await credentials.authorize();
    expect(redactor.mask('a-rotated-key')).toBe('[secret]');
  });

  it('from a function are used without the spaces around them', async () => {
    const { credentials } = credentialsOf({ clientSecret: () => ' rotated ' });
    expect(await credentials.clientCredentials()).toEqual({ clientId: '1001', clientSecret: 'rotated' });
  });

  it.each([
    ['clientSecret', ''],
    ['clientSecret', '  '],
    ['clientSecret', 'a\nb'],
    ['clientSecret', undefined],
    ['clientSecret', 7],
    ['apiKey', 'a\r\nx-evil: 1'],
    ['apiKey', 'chave-é'],
    ['apiKey', null],
  ] as const)('%s: a function that returns %j is a ConfigurationError', async (name, returned) => {
    const { credentials } = credentialsOf({ [name]: () => returned });
    const call = name === 'apiKey' ? credentials.authorize() : credentials.clientCredentials();
    await expect(call).rejects.toMatchObject({ code: 'configuration', option: name });
  });

  it.each(['clientId', 'clientSecret', 'apiKey'] as const)('%s is required when it is used', async (name) => {
    const { credentials } = credentialsOf({ [name]: undefined });
    const call = name === 'apiKey' ? credentials.authorize() : credentials.clientCredentials();
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: name });
  });
});

describe('the API key of a request', () => {
  it('is worth a replay after a 401 only if it was rotated meanwhile', async () => {
    let key = 'first';
    const { credentials } = credentialsOf({ apiKey: () => key });
    const { header, onRejected } = await credentials.authorize();
    expect(header).toEqual(['x-api-key', 'first']);
    const { signal } = new AbortController();
    expect(await onRejected(signal)).toBe(false);
    key = 'second';
    expect(await onRejected(signal)).toBe(true);
  });
});

describe('the scopes', () => {
  const address = {
    baseUrl: 'https://hub.example',
    basePath: '/opendelivery',
    tokenUrl: undefined,
    endpoints: ENDPOINTS,
  };
  const storeScope = (options: Partial<CredentialsOptions> = {}) =>
    credentialsOf(options).credentials.storeScope;

  it('of a store depend on the token URL and the clientId, and on nothing else', () => {
    const same = [{ clientSecret: 'another' }, { apiKey: 'another' }, { headers: { 'x-partner': 'a' } }];
    for (const options of same) expect(storeScope(options)).toBe(storeScope());
    const byTokenUrl = {
      targets: new Targets({ ...address, tokenUrl: 'https://hub.example/opendelivery/oauth/token' }),
    };
    expect(storeScope(byTokenUrl)).toBe(storeScope());
    const others = [
      { clientId: '1002' },
      { clientId: undefined },
      { targets: new Targets({ ...address, basePath: '' }) },
      { targets: new Targets({ ...address, tokenUrl: 'https://login.example' }) },
    ];
    expect(new Set([undefined, ...others].map(storeScope)).size).toBe(others.length + 1);
  });

  it('of the merchant document depend on the address and the API key', async () => {
    const scope = (options: Partial<CredentialsOptions> = {}) =>
      credentialsOf(options).credentials.merchantScope();
    expect(await scope({ clientId: '1002' })).toBe(await scope());
    expect(await scope({ apiKey: 'another' })).not.toBe(await scope());
    expect(await scope({ targets: new Targets({ ...address, basePath: '' }) })).not.toBe(await scope());
  });

  it('contain no secret', async () => {
    const { credentials } = credentialsOf();
    expect(`${credentials.storeScope} ${await credentials.merchantScope()}`).toMatch(
      /^[0-9a-f]{32} [0-9a-f]{32}$/,
    );
  });
});
