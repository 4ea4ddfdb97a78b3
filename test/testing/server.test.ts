import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ConfigurationError } from 'opendelivery-client';
import { createMockHub, type ListenOptions, type MockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { plain, problemOf } from '../fixtures/plain.js';

async function listening(options: ListenOptions = {}) {
  const mock = createMockHub();
  const { url, close } = await mock.listen({ control: true, ...options });
  onTestFinished(close);
  return { mock, url, port: Number(new URL(url).port) };
}

interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends headers that fetch does not let a program set, as a browser or an attacker does. */
async function send(port: number, { method = 'GET', path = '/_mock/stores', headers, body }: RawRequest) {
  const sent = request({ host: '127.0.0.1', port, method, path, headers });
  sent.end(body);
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return { status: incoming.statusCode as number, headers: incoming.headers, text };
}

/** Everything that the server sends before it closes the connection. */
async function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

/** The headers of a page, which may name the port of the server as PORT. */
function pageOf(port: number, { origin, ...headers }: Record<string, string>) {
  return {
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(origin && { origin: origin.replace('PORT', String(port)) }),
  };
}

const PAGE = 'http://localhost:5173';
const CONTAINERS = { allowHost: ['mock', 'Host.Docker.Internal', 'fd00::7', '172.17.0.2'] };

const SECRETS = ({ credentials: { clientSecret, apiKey } }: MockHub) =>
  new RegExp(`${clientSecret}|${apiKey}`);

describe('the mock hub over HTTP', () => {
  it.each<[string, ListenOptions]>([
    ['localhost', {}],
    ['localhost:4010', {}],
    ['127.0.0.1:4010', {}],
    ['127.255.0.9:1', {}],
    ['[::1]:4010', {}],
    ['mock', CONTAINERS],
    ['MOCK:4010', CONTAINERS],
    ['host.docker.internal:4010', CONTAINERS],
    ['[fd00::7]:4010', CONTAINERS],
    ['[FD00:0::7]', CONTAINERS],
    ['172.17.0.2:80', CONTAINERS],
  ])('responds to the host %s with %j, also to a page that it has served', async (host, options) => {
    const { port } = await listening(options);
    expect((await send(port, { headers: { host } })).status).toBe(200);
    const { origin } = new URL(`http://${host}`);
    const page = { host, origin, 'sec-fetch-site': 'same-origin' };
    expect((await send(port, { method: 'POST', path: '/_mock/orders', headers: page })).status).toBe(201);
  });

  it.each([
    'attacker.example',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
    'attacker.example#localhost',
    '0.0.0.0',
    '192.168.0.7',
    '[::ffff:10.0.0.1]',
    'localhost:80:80',
    'localhost.',
    '%6cocalhost',
    'user@localhost',
    'mock.attacker.example',
    'notmock',
    'mock.',
    'mock:4010:4010',
    'mock@attacker.example',
    'attacker.example/mock',
    'docker.internal',
    '[fd00::8]',
    '172.17.0.22',
  ])('refuses every request for the host %j, also beside allowed hosts', async (host) => {
    for (const options of [{}, CONTAINERS]) {
      const { mock, port } = await listening(options);
      for (const [method, path] of [
        ['GET', '/_mock/stores'],
        ['POST', '/_mock/orders'],
        ['GET', '/opendelivery/v1/merchant'],
      ] as const) {
        const headers = { host, 'x-api-key': mock.credentials.apiKey };
        const response = await send(port, { method, path, headers });
        expect(response.status).toBe(403);
        expect(response.text).not.toMatch(SECRETS(mock));
      }
      expect([mock.emitted(), mock.violations()]).toEqual([[], []]);
    }
  });

  it.each([
    ['two Host headers', 'GET /_mock/stores HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: attacker.example\r\n'],
    [
      'a foreign host in its target',
      'GET http://attacker.example/_mock/stores HTTP/1.1\r\nHost: 127.0.0.1\r\n',
    ],
    [
      'a target that looks like a host',
      'GET //attacker.example/_mock/stores HTTP/1.1\r\nHost: attacker.example\r\n',
    ],
    ['an empty Host', 'GET /_mock/stores HTTP/1.1\r\nHost:\r\n'],
    ['no Host at all', 'GET /_mock/stores HTTP/1.0\r\n'],
  ])('refuses a request with %s', async (_what, head) => {
    const { mock, port } = await listening();
    const response = await sendBytes(port, `${head}Connection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 403 /);
    expect(response).not.toMatch(SECRETS(mock));
  });

  it('responds to a request whose target has a loopback host', async () => {
    const { port } = await listening();
    const head = 'GET http://localhost/_mock/stores HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await sendBytes(port, head)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }],
    ['another site, in a browser without Sec-Fetch-Site', { origin: 'https://attacker.example' }],
    ['another site, by an image or a link', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['another port of this machine, by an image', { 'sec-fetch-site': 'same-site' }],
    ['another scheme', { origin: 'https://127.0.0.1:PORT' }],
    ['another loopback name', { origin: 'http://localhost:PORT' }],
    ['a file or a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a file or a sandboxed frame, in a browser without Sec-Fetch-Site', { origin: 'null' }],
    ['an unknown site', { 'sec-fetch-site': 'elsewhere' }],
    ['another port than the allowed page', { origin: 'http://localhost:5174' }],
    ['another scheme than the allowed page', { origin: 'https://localhost:5173' }],
    ['a longer name than the allowed page', { origin: `${PAGE}.attacker.example` }],
    ['two origins', { origin: `${PAGE}, https://attacker.example` }],
  ])('refuses a request by a page of %s, also beside an allowed page', async (_where, headers) => {
    for (const options of [{}, { allowOrigin: [PAGE] }]) {
      const { mock, port } = await listening(options);
      const all = { ...pageOf(port, headers), 'access-control-request-method': 'POST' };
      const requests: RawRequest[] = [{ headers: all }, { method: 'OPTIONS', headers: all }];
      // The three content types that a page of any site can send without a preflight.
      for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
        const typed = { ...all, 'content-type': type };
        requests.push({ method: 'POST', path: '/_mock/orders', headers: typed, body: '{"displayId":"x"}' });
      }
      for (const each of requests) {
        const { status, text, headers: given } = await send(port, each);
        expect([status, JSON.parse(text)]).toEqual([403, { status: 403, title: expect.any(String) }]);
        expect(given).not.toHaveProperty('access-control-allow-origin');
      }
      expect([mock.emitted(), mock.violations()]).toEqual([[], []]);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['a program', {}],
    ['the address bar of a browser', { 'sec-fetch-site': 'none' }],
    ['a page of the same origin', { origin: 'http://127.0.0.1:PORT', 'sec-fetch-site': 'same-origin' }],
    ['a form of the same origin that hides its origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['a page of the same origin in an old browser', { origin: 'http://127.0.0.1:PORT' }],
  ])('responds to %s', async (_who, headers) => {
    const { mock, port } = await listening();
    const all = pageOf(port, headers);
    expect((await send(port, { method: 'POST', path: '/_mock/orders', headers: all })).status).toBe(201);
    expect(mock.emitted()).toHaveLength(1);
  });

  it('listens on every address with the host 0.0.0.0, and still answers only loopback hosts', async () => {
    const { url, port } = await listening({ host: '0.0.0.0' });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await send(port, { headers: { host: `localhost:${port}` } })).status).toBe(200);
    for (const host of ['0.0.0.0', 'mock', '192.168.0.7']) {
      expect((await send(port, { headers: { host: `${host}:${port}` } })).status).toBe(403);
    }
    for (const { address } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
      if (!isIPv4(address)) continue;
      const headers = { host: `${address}:${port}` };
      const sent = request({ host: address, port, path: '/_mock/stores', headers }).end();
      const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
      expect([address, statusCode]).toEqual([address, address.startsWith('127.') ? 200 : 403]);
    }
  });

  it.each(['[::1]', '::1'])('gives an address that works for the host %s', async (host) => {
    const hub = createMockHub().listen({ host: host.replace(/[[\]]/g, ''), allowHost: [host] });
    const { url, close } = await hub;
    onTestFinished(close);
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${url}/opendelivery/v1/merchant`)).status).toBe(401);
  });

  it('answers the host that it listens on, because the caller has named it', async () => {
    // Not a loopback host by its name; it stands for the address of a network card.
    const { url, port } = await listening({ host: '::ffff:127.0.0.1' });
    expect(url).toBe(`http://[::ffff:7f00:1]:${port}`);
    expect((await fetch(`${url}/_mock/stores`)).status).toBe(200);
    expect((await send(port, { headers: { host: '[::ffff:7f00:2]' } })).status).toBe(403);
  });

  it('lets a page of an allowed origin send any request, and read the response', async () => {
    const { mock, port } = await listening({ allowOrigin: [`${PAGE}/`] });
    const page = { host: `localhost:${port}`, origin: PAGE, 'sec-fetch-site': 'same-site' };
    const asked = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,x-api-key',
    };
    const preflight = await send(port, {
      method: 'OPTIONS',
      path: '/_mock/orders',
      headers: { ...page, ...asked },
    });
    expect([preflight.status, preflight.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization,x-api-key',
        vary: 'origin',
      },
    ]);
    const { status, headers } = await send(port, { method: 'POST', path: '/_mock/orders', headers: page });
    expect([status, headers]).toMatchObject([
      201,
      { 'access-control-allow-origin': PAGE, 'access-control-expose-headers': '*', vary: 'origin' },
    ]);
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const refused = await send(port, { path: '/opendelivery/v1/merchant', headers: page });
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, PAGE]);
    // A preflight is not a request to the hub.
    expect(mock.requests.map(({ method }) => method)).toEqual(['GET']);
    expect([mock.emitted().length, mock.violations()]).toEqual([1, []]);
  });

  it('refuses an allowed page under a host that is not allowed, as after DNS rebinding', async () => {
    const { port } = await listening({ allowOrigin: [PAGE] });
    const { status, headers } = await send(port, { headers: { host: 'attacker.example', origin: PAGE } });
    expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it.each<[ListenOptions, RegExp]>([
    [
      { allowHost: ['mock:4010'] },
      /^allowHost\[0\]: must be the name or the address of a host without a port/,
    ],
    [{ allowHost: ['http://mock'] }, /^allowHost\[0\]: must be the name/],
    [{ allowHost: ['*'] }, /^allowHost\[0\]: must be the name/],
    [{ allowHost: [''] }, /^allowHost\[0\]: must be the name/],
    [{ allowOrigin: ['*'] }, /^allowOrigin\[0\]: must be the origin of a page/],
    [{ allowOrigin: ['null'] }, /^allowOrigin\[0\]: must be the origin/],
    [{ allowOrigin: ['http://localhost:5173/app'] }, /^allowOrigin\[0\]: must be the origin/],
    [{ allowOrigin: ['ws://localhost:5173'] }, /^allowOrigin\[0\]: must be the origin/],
    [{ allowOrigin: ['localhost:5173'] }, /^allowOrigin\[0\]: must be the origin/],
    [{ host: '' }, /^host: must be an address of this machine/],
    [{ port: 65_536 }, /^port: must be a whole number/],
    [{ origin: PAGE } as ListenOptions, /^origin: is not an option; the options are port, host, allowHost/],
  ])('refuses to listen with %j, and says what to pass', async (options, message) => {
    await expect(createMockHub().listen(options)).rejects.toThrow(message);
    await expect(createMockHub().listen(options)).rejects.toThrow(ConfigurationError);
  });

  it('gives the reason for a refusal in the response, and records it in the journal', async () => {
    const { mock, port } = await listening();
    const path = '/opendelivery/v1/merchant';
    const { text } = await send(port, { path, headers: { host: 'attacker.example'.padEnd(5000, 'x') } });
    const { title } = JSON.parse(text);
    expect(title).toMatch(/attacker\.example.*127\.0\.0\.1 or localhost/);
    expect(title.length).toBeLessThan(250);
    expect(mock.requests).toMatchObject([{ method: 'GET', path, status: 403, endpoint: undefined }]);
  });

  it('does not read the body of a refused request', async () => {
    const { mock, port } = await listening();
    const head =
      'POST /_mock/orders HTTP/1.1\r\nHost: attacker.example\r\nContent-Length: 1000000000\r\n\r\n';
    expect(await sendBytes(port, `${head}{`)).toMatch(/^HTTP\/1\.1 403 .*connection: close/is);
    expect(mock.requests).toMatchObject([{ body: '' }]);
  });

  it('accepts any host and origin through mock.fetch', async () => {
    const mock = createMockHub({ baseUrl: 'https://hub.example' });
    const headers = { host: 'hub.example', origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
    const api = plain(mock);
    expect((await api.get('/v1/merchant', { headers })).status).toBe(401);
    expect((await problemOf(await api.get('/v1/merchant', { headers }))).title).toBe('invalid apiKey');
  });
});
