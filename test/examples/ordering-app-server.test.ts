import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { HubClient } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type OrderingApp, startApp } from '../../examples/ordering-app/main.js';

import { requestsTo } from '../support.js';

const mock = createMockHub();
let app: OrderingApp;
let port: number;
let orderId: string;

beforeAll(async () => {
  ({ orderId } = mock.createOrder({ customer: { name: 'Ana Souza' } }));
  app = await startApp(new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch }));
  await app.started;
  port = Number(new URL(app.url).port);
});
afterAll(() => app.stop());
beforeEach(() => expect(requestsTo(mock, 'orderStatus')).toEqual([]));

/** Sends a request as a browser or an attacker does. */
async function send(method: string, path: string, headers: Record<string, string>) {
  const sent = request({ host: '127.0.0.1', port, method, path, headers });
  sent.end(method === 'POST' ? new URLSearchParams({ orderId, command: 'unknown' }).toString() : '');
  const [incoming] = await once(sent, 'response');
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return { status: incoming.statusCode as number, text };
}

const PAGES = ['/', '/live', '/page.js'];
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

it.each(['localhost', 'LOCALHOST:80', 'localhost:PORT', '127.0.0.1:PORT', '127.9.9.9', '[::1]:PORT'])(
  'responds to a request for the loopback host %s',
  async (name) => {
    const host = name.replace('PORT', String(port));
    for (const path of PAGES) expect((await send('GET', path, { host })).status).toBe(200);
    expect((await send('GET', '/live', { host })).text).toContain('Ana Souza');
  },
);

it.each(['attacker.example', 'localhost.attacker.example', '192.168.0.7', '[::2]'])(
  'refuses a request for the host %s, which may be rebound to this machine',
  async (host) => {
    for (const path of PAGES) {
      const { status, text } = await send('GET', path, { host });
      expect(status).toBe(403);
      expect(text).not.toContain('Ana Souza');
    }
    const own = { ...FORM, host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    expect((await send('POST', '/commands', own)).status).toBe(403);
  },
);

it.each([
  ['no Host', 'GET /live HTTP/1.0\r\n'],
  ['a foreign host in its target', 'GET http://attacker.example/live HTTP/1.1\r\nHost: 127.0.0.1\r\n'],
  ['a foreign Host beside its target', 'GET http://127.0.0.1/live HTTP/1.1\r\nHost: attacker.example\r\n'],
])('shows no order to a request with %s', async (_what, head) => {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${head}Connection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(text).not.toContain('Ana Souza');
});

it.each<[string, Record<string, string>]>([
  ['another site', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }],
  ['another site in an old browser', { origin: 'https://attacker.example' }],
  ['another site, as a link or an image', { 'sec-fetch-site': 'cross-site' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
  ['a file or a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a file or a sandboxed frame in an old browser', { origin: 'null' }],
])('refuses a request from %s', async (_where, headers) => {
  const all = { host: `127.0.0.1:${port}`, ...headers };
  for (const path of PAGES) expect((await send('GET', path, all)).status).toBe(403);
  for (const type of [FORM['content-type'], 'multipart/form-data', 'text/plain', 'application/json']) {
    expect((await send('POST', '/commands', { ...all, 'content-type': type })).status).toBe(403);
  }
});

it.each<[string, Record<string, string>]>([
  [
    "a script of the application's page",
    { origin: 'http://127.0.0.1:PORT', 'sec-fetch-site': 'same-origin' },
  ],
  ["the application's page in an old browser", { origin: 'http://127.0.0.1:PORT' }],
  // The page has the policy `no-referrer`, so without its script a browser sends the origin `null`.
  [
    "a form of the application's page without the script",
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
  ],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['a program', {}],
])('responds to %s', async (_who, headers) => {
  const origin = headers.origin?.replace('PORT', String(port));
  const all = { ...FORM, host: `127.0.0.1:${port}`, ...headers, ...(origin && { origin }) };
  expect((await send('GET', '/live', all)).status).toBe(200);
  expect(await send('POST', '/commands', all)).toEqual({ status: 400, text: 'Comando desconhecido.' });
});
