import fc from 'fast-check';
import type { JournalEntry } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FORM, plain } from '../../fixtures/plain.js';
import { made } from './support.js';

const MAX_BYTES = 16_000_000;

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const SECRET = 'a/v3ry+secret=value&more';

describe('the journal', () => {
  it('has a header whatever its name is', async () => {
    const { mock } = made();
    await mock.fetch(mock.baseUrl, {
      headers: [
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ],
    });
    expect(Object.entries(mock.requests[0]?.headers ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('masks credentials, and shows which requests used the same one', async () => {
    const seen: JournalEntry[] = [];
    const { mock, api } = made({ onRequest: (entry) => seen.push(structuredClone(entry)) });
    const [first, second] = [await api.token(), await api.token()];
    await api.poll(second);
    await api.poll(first);
    await api.poll('a-token-of-another-hub');
    await api.merchant();
    await api.merchant('another-api-key');
    await api.grant({ ...mock.credentials, clientSecret: SECRET });
    const form = (secret: number) =>
      `client_id=1001&client_secret=[client secret ${secret}]&grant_type=client_credentials`;
    const shown = mock.requests.map(
      ({ headers, body }) => headers.authorization ?? headers['x-api-key'] ?? body,
    );
    expect(shown).toEqual([
      form(1),
      form(1),
      'Bearer [token 2]',
      'Bearer [token 1]',
      'Bearer [token 3]',
      '[api key 1]',
      '[api key 2]',
      form(2),
    ]);
    expect(seen).toEqual(mock.requests);
  });

  it.each<[string, string, RequestInit]>([
    ['a bearer in lower case', '/v1/events:polling', { headers: { authorization: `bearer ${SECRET}` } }],
    ['a bearer without a scheme', '/v1/events:polling', { headers: { authorization: SECRET } }],
    ['Basic', '/oauth/token', { headers: { authorization: `Basic ${SECRET}` }, method: 'POST' }],
    ['a cookie', '/v1/merchant', { headers: { cookie: SECRET } }],
    ['a key in a header of the application', '/v1/merchant', { headers: { 'x-partner-key': SECRET } }],
    ['a key in the query', `/v1/merchant?apiKey=${encodeURIComponent(SECRET)}`, {}],
    [
      'a key that the path repeats',
      `/v1/orders/${encodeURIComponent(SECRET)}`,
      { headers: { authorization: `Bearer ${SECRET}` } },
    ],
    [
      'a secret that another header repeats',
      '/oauth/token',
      { ...posted(new URLSearchParams({ client_secret: SECRET })), headers: { 'x-debug': `is ${SECRET}` } },
    ],
    ['a form', '/oauth/token', posted(new URLSearchParams({ client_secret: SECRET }))],
    ['a form with an encoded name', '/oauth/token', posted(`%63lientSecret=${encodeURIComponent(SECRET)}`)],
    ['JSON', '/oauth/token', posted(JSON.stringify({ a: [{ clientSecret: SECRET }] }))],
    ['JSON with an escaped name', '/oauth/token', posted(`{"client\\u005f\\u0073ecret": "${SECRET}"}`)],
    ['JSON that is cut off', '/oauth/token', posted(`{"client_secret": "${SECRET}`)],
    ['a multipart form', '/oauth/token', posted(`--x\r\nname="client_secret"\r\n\r\n${SECRET}\r\n--x--`)],
    ['a multipart form without spaces', '/oauth/token', posted(`--x;name=client_secret;${SECRET}--x--`)],
    ['XML', '/oauth/token', posted(`<client_secret>${SECRET}</client_secret>`)],
    [
      'XML at a path that the hub does not have',
      '/token',
      posted(`<client_secret>${SECRET}</client_secret>`),
    ],
    ['an encoded =', '/oauth/token', posted(`client_secret%3D${encodeURIComponent(SECRET)}`)],
    ['an encoded = in a query', `/v1/merchant?client_secret%3D${encodeURIComponent(SECRET)}`, {}],
    ['JSON of names and values', '/oauth/token', posted(`[{"name":"client_secret","value":"${SECRET}"}]`)],
    ['JSON in JSON', '/oauth/token', posted(JSON.stringify({ body: `{"client_secret":"${SECRET}"}` }))],
    ['a parameter in a path', `/oauth/token;a=1;client_secret=${encodeURIComponent(SECRET)}`, posted('')],
  ])('masks %s', async (_what, path, init) => {
    const { mock, api } = made();
    await api.get(path, init);
    const shown = JSON.stringify([mock.requests, mock.violations()]);
    expect(shown).toMatch(/\[(?:token|api key|client secret|credential) 1\]|characters withheld/);
    for (const spelling of [SECRET, encodeURIComponent(SECRET), 'v3ry', 'secret=value']) {
      expect(shown).not.toContain(spelling);
    }
  });

  it('masks the credentials of its stores wherever they are', async () => {
    const { mock, api } = made();
    const { clientSecret, apiKey } = mock.credentials;
    await api.get(`/v1/orders/${clientSecret}`, { headers: { 'x-note': `(${apiKey})` } });
    await api.get('/v1/orders/1/confirm', posted(JSON.stringify({ reason: `see ${clientSecret}` })));
    const shown = JSON.stringify([mock.requests, mock.violations()]);
    expect(shown).not.toContain(clientSecret);
    expect(shown).not.toContain(apiKey);
    expect(mock.requests[0]).toMatchObject({
      path: '/opendelivery/v1/orders/[client secret 1]',
      headers: { 'x-note': '([api key 1])' },
    });
    expect(mock.requests[1]?.body).toBe('{"reason":"see [client secret 1]"}');
  });

  it('masks a token of this hub wherever it appears', async () => {
    const { mock, api } = made();
    const token = await api.token();
    await api.get(`/v1/orders/${token}`, { headers: { 'x-note': `(${token})` } });
    await api.get('/nowhere', posted(`see ${token}`));
    await api.get(`/${token}`);
    expect(JSON.stringify([mock.requests, mock.violations()])).not.toContain(token);
    expect(mock.requests[1]).toMatchObject({
      path: '/opendelivery/v1/orders/[token 1]',
      headers: { 'x-note': '([token 1])' },
    });
  });

  it('changes nothing else', async () => {
    const { mock, api } = made();
    const headers = { 'idempotency-key': 'k', 'content-type': FORM, 'user-agent': 'me/1', 'x-api-key': '' };
    const bodies = ['{"reason": "the key % is \\u00e9"}', 'a=b&c', '', 'client_id=1&grant_type=x', '[1, 2]'];
    for (const body of bodies) await api.get('/v1/orders/o-1/confirm?x=1', { method: 'POST', headers, body });
    expect(mock.requests.map(({ body }) => body)).toEqual(bodies);
    expect(mock.requests[0]).toMatchObject({ path: '/opendelivery/v1/orders/o-1/confirm?x=1', headers });
  });

  it('masks a secret in any form or JSON body', async () => {
    const { mock, api } = made();
    const secrets = fc.string({ minLength: 4, unit: 'grapheme' }).map((text) => `§${text}§`);
    const names = fc.constantFrom('client_secret', 'clientSecret', 'access_token', 'password', 'api_key');
    await fc.assert(
      fc.asyncProperty(
        secrets,
        names,
        fc.dictionary(fc.string(), fc.string()),
        async (secret, name, more) => {
          mock.reset();
          await api.get('/oauth/token', posted(new URLSearchParams({ ...more, [name]: secret })));
          await api.get('/oauth/token', posted(JSON.stringify({ ...more, [name]: secret })));
          const encoded = new URLSearchParams({ x: secret }).toString().slice(2);
          for (const { body } of mock.requests) {
            expect(
              body.includes(secret) || body.includes(encoded) || body.includes(JSON.stringify(secret)),
            ).toBe(false);
          }
        },
      ),
    );
  });

  it('counts the events in polls', { tags: 'slow' }, async () => {
    const { clock, mock, api } = made();
    for (let count = 0; count < 1000; count += 1)
      mock.emit('CREATED', { metadata: { note: 'x'.repeat(200) } });
    const token = await api.token();
    for (let count = 0; count < 60; count += 1) {
      await clock.advance('1m');
      await api.poll(token);
    }
    const { length } = mock.requests;
    expect(length).toBeGreaterThan(20);
    expect(length).toBeLessThan(60);
    expect(bytesOf(mock.requests)).toBeLessThanOrEqual(MAX_BYTES);
    expect(mock.requests.at(-1)?.events).toHaveLength(1000);
  });

  it('leaves out the events of a poll that would take more than half of its room', async () => {
    const { mock, api } = made();
    mock.emit('CREATED', { metadata: { note: 'x'.repeat(9_000_000) } });
    expect((await api.poll(await api.token())).status).toBe(200);
    expect(mock.requests.at(-1)).toMatchObject({ endpoint: 'polling', status: 200 });
    expect(mock.requests.map(({ events }) => events)).toEqual([undefined, undefined]);
  });

  it('is the same over HTTP', async () => {
    const { mock } = made();
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const api = plain(mock, fetch, url);
    await api.poll(await api.token());
    const journal = await (await fetch(`${url}/_mock/requests`)).text();
    expect(JSON.parse(journal)).toEqual(JSON.parse(JSON.stringify(mock.requests)));
    expect(journal).toContain('Bearer [token 1]');
    expect(journal).not.toMatch(/mock\.1001\.|mock-client-secret/);
  });
});

function posted(body: string | URLSearchParams): RequestInit {
  return { method: 'POST', body };
}
