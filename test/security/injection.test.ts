import fc from 'fast-check';
import { ConfigurationError, HubClient, type HubClientOptions } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { clientOf, failure, rawServer, sends } from '../http/support.js';
import { anyCharacter } from '../strings.js';

/** Strings that could change a path or a request if they were not encoded. */
const TRICKS = [
  '../../v1/merchant',
  '.',
  '',
  '%2e%2e%2fmerchant',
  '..\\..\\merchant',
  '1/confirm',
  '1?status=x',
  '1#confirm',
  'https://elsewhere.example/1',
  '@elsewhere.example',
  '1\r\nx-api-key: stolen',
  '1 HTTP/1.1\r\n\r\nGET /opendelivery/v1/merchant',
  '1\u0000',
  '．．／merchant',
  '\ud800',
  '%zz',
  'x'.repeat(10_000),
];
/** Values that are not strings. */
const NOT_STRINGS: unknown[] = [undefined, null, 1, ['1'], { toString: () => '1' }, Symbol('1')];

/** A hub that records its requests, and a client of it. */
async function listening() {
  const server = await rawServer((response, seen) =>
    (seen.url.endsWith('/oauth/token')
      ? sends(200, '{"access_token":"a-token","expires_in":604800}')
      : sends(200, '{"id":"1"}'))(response),
  );
  return { server, ...clientOf(server.url, { rateLimit: { maxWaitMs: 1e12 } }) };
}

describe('an order id', () => {
  it.each(TRICKS)('%j is one segment of the path, or is refused and nothing is sent', async (orderId) => {
    const { server, hub } = await listening();
    const calls = [
      ['GET', /^\/opendelivery\/v1\/orders\/([^/?#]+)$/, () => hub.orders.get(orderId)],
      ['POST', /^\/opendelivery\/v1\/orders\/([^/?#]+)\/confirm$/, () => hub.orders.confirm(orderId)],
      ['POST', /^\/opendelivery\/v1\/orders\/7\/([^/?#]+)$/, () => hub.orders.updateStatus('7', orderId)],
    ] as const;
    for (const [method, path, call] of calls) {
      const before = server.requests.length;
      const error = await call().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const sent = server.requests.slice(before).filter(({ url }) => !url.endsWith('/oauth/token'));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
      if (/[\u0000-\u001f\u007f]/.test(orderId)) expect(error).toBeDefined();
      if (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(sent).toEqual([]);
        continue;
      }
      expect(sent).toHaveLength(1);
      expect(sent[0]?.method).toBe(method);
      expect(decodeURIComponent(path.exec(sent[0]?.url ?? '')?.[1] ?? '')).toBe(orderId);
      expect(sent[0]?.headers['x-api-key']).toBeUndefined();
    }
  });

  it.each(NOT_STRINGS)('%s is refused and nothing is sent', async (orderId) => {
    const { server, hub } = await listening();
    await failure(hub.orders.get(orderId as string), ConfigurationError);
    await failure(hub.orders.updateStatus('1', orderId as string), ConfigurationError);
    expect(server.requests).toEqual([]);
  });

  it('that is any string cannot change the rest of the path', async () => {
    const requested: URL[] = [];
    const { hub } = clientOf('https://hub.example', {
      rateLimit: { maxWaitMs: 1e12 },
      fetch: async (input) => {
        requested.push(new URL(String(input)));
        return Response.json({ access_token: 'a-token', id: '1' });
      },
    });
    await hub.auth.getToken();
    const parts = fc.constantFrom('..', '.', '/', '\\', '%2e', '%2F', '%', '#', ':', '@', ' ', '\r', '1');
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.array(parts, { maxLength: 8 }).map((each) => each.join('')),
    );
    let sent = 0;
    // Ninety calls, because the hub allows a hundred per minute and the clock does not advance.
    await fc.assert(
      fc.asyncProperty(texts, async (orderId) => {
        const before = requested.length;
        const error = await hub.orders.get(orderId).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(requested).toHaveLength(error instanceof ConfigurationError ? before : before + 1);
        if (error !== undefined) return;
        const url = requested.at(-1);
        sent += 1;
        expect([url?.origin, url?.search, url?.hash]).toEqual(['https://hub.example', '', '']);
        const [, ...segments] = url?.pathname.split('/') ?? [];
        expect(segments.slice(0, 3)).toEqual(['opendelivery', 'v1', 'orders']);
        expect(segments.slice(3).map(decodeURIComponent)).toEqual([orderId]);
      }),
      { numRuns: 90 },
    );
    expect(sent).toBeGreaterThan(20);
  });
});

const BASE: HubClientOptions = { baseUrl: 'https://hub.example', logger: false };
const made = (options: Partial<HubClientOptions>) => () => new HubClient({ ...BASE, ...options });
const CONTROLS = ['\r\nx-evil: 1', '\n', '\r', '\u0000', '\u007f', '\t', '\u0085'];

describe('an option', () => {
  it.each(CONTROLS)('that contains %j is refused', (control) => {
    const text = `abc${control}def`;
    for (const options of [
      { clientId: text },
      { clientSecret: text },
      { apiKey: text },
      { baseUrl: `https://hub.example/${text}` },
      { tokenUrl: `https://hub.example/${text}` },
      { basePath: `/${text}` },
      { headers: { 'x-partner': text } },
      { headers: { [text]: 'key' } },
    ]) {
      expect(made(options), JSON.stringify(options)).toThrow(ConfigurationError);
    }
  });

  it.each(['é', '漢', '😀', '\u2028'])('that becomes a header and contains %j is refused', (sign) => {
    expect(made({ apiKey: `key${sign}` })).toThrow(ConfigurationError);
    expect(made({ headers: { 'x-partner': sign } })).toThrow(ConfigurationError);
  });

  it.each([
    ['https:\\\\hub.example\\a', 'https://hub.example/a'],
    ['https://hub.example/../a', 'https://hub.example/a'],
    ['https://hub.example/%2e%2e/a', 'https://hub.example/a'],
    ['https:hub.example/a', 'https://hub.example/a'],
    ['https://HUB.example:443/', 'https://hub.example'],
    ['https://hub.example/a/../b/', 'https://hub.example/b'],
  ])('baseUrl %j stays on its host, and a tokenUrl is sent as it is', async (baseUrl, normalized) => {
    const requested: string[] = [];
    const { hub } = clientOf(baseUrl, {
      basePath: '/api/',
      tokenUrl: 'https://login.example:8443/token/',
      fetch: async (input) => {
        requested.push(String(input));
        return Response.json({ id: '1', access_token: 'a' });
      },
    });
    await hub.merchant.get();
    await hub.auth.getToken();
    expect(requested).toEqual([`${normalized}/api/v1/merchant`, 'https://login.example:8443/token/']);
  });
});

describe('the result of a secret function', () => {
  it('as clientSecret is sent form-encoded, whatever characters it contains', async () => {
    const { server } = await listening();
    const secret = '&client_id=1&x=é😀+%26 =';
    const { hub } = clientOf(server.url, { clientId: '1&grant_type=password', clientSecret: () => secret });
    await hub.auth.getToken();
    expect([...new URLSearchParams(server.requests[0]?.body)]).toEqual([
      ['client_id', '1&grant_type=password'],
      ['client_secret', secret],
      ['grant_type', 'client_credentials'],
    ]);
    const { hub: other } = clientOf(server.url, { clientSecret: () => 'a\r\nb' });
    await failure(other.auth.getToken(), ConfigurationError);
    expect(server.requests).toHaveLength(1);
  });
});
