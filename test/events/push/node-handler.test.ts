import { request as httpRequest } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { nodeHandler } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../support.js';
import { served } from '../../temporary.js';
import { signatureOf } from './support.js';

/** A poller behind an HTTP server. */
async function behindServer(parse?: (request: NodeJS.ReadableStream) => Promise<unknown>) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { hub, log } = clientOf(mock, { clock, fetch: mock.fetch });
  const noted: string[] = [];
  const poller = hub.poller().on('event', ({ eventId }) => void noted.push(eventId));
  await poller.start();
  const handle = nodeHandler(poller);
  const url = await served(async (request, response) => {
    await parse?.(request);
    await handle(request, response);
  });
  return { clock, mock, noted, log, url: `${url}/any/path` };
}

it('nodeHandler passes the raw bytes, and answers as the poller does', async () => {
  const { mock, noted, url } = await behindServer();
  const body = JSON.stringify({ ...mock.createOrder().event, note: 'maçã 🍎' });
  const push = (signature: string) =>
    fetch(url, { method: 'POST', headers: { 'X-App-Signature': signature }, body });
  const good = await push(signatureOf(body));
  expect([good.status, await good.text()]).toEqual([200, '']);
  const bad = await push(signatureOf(`${body} `));
  expect([bad.status, bad.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
  expect((await fetch(url)).status).toBe(405);
  expect(noted).toHaveLength(1);
});

it.each([
  ['/stores/a/newEvent?x=1', 'http://localhost/stores/a/newEvent?x=1'],
  ['//other.example/', 'http://localhost//other.example/'],
  ['http://other.example/', 'http://localhost/ttp://other.example/'],
  ['*', 'http://localhost/'],
])('nodeHandler passes the path %s on, and no other host', async (path, url) => {
  const seen: string[] = [];
  const handle = nodeHandler({
    receive: async (request) => {
      seen.push(request.url);
      return new Response();
    },
  });
  const { port } = new URL(await served((request, response) => void handle(request, response)));
  await new Promise((resolve) => httpRequest({ port, path, method: 'OPTIONS' }, resolve).end());
  expect(seen).toEqual([url]);
});

it('nodeHandler reads the headers of a request as they were received', async () => {
  const seen: (string | null)[] = [];
  const handle = nodeHandler({
    receive: async ({ headers }) => {
      seen.push(headers.get('constructor'), headers.get('x-twice'));
      return new Response();
    },
  });
  const url = await served((request, response) => {
    // As on Node 20.18, which makes it from an object with a prototype.
    Object.defineProperty(request, 'headersDistinct', {
      get() {
        throw new TypeError('dest[field].push is not a function');
      },
    });
    void handle(request, response);
  });
  const { port } = new URL(url);
  const headers = { constructor: 'x', 'x-twice': ['1', '2'] };
  await new Promise((resolve) => httpRequest({ port, headers }, resolve).end());
  expect(seen).toEqual(['x', '1, 2']);
});

it('nodeHandler reads the headers of a request that an adapter has made without raw headers', async () => {
  const seen: (string | null)[] = [];
  const handle = nodeHandler({
    receive: async ({ headers }) => {
      seen.push(headers.get('x-app-signature'), headers.get('x-twice'), headers.get('x-none'));
      return new Response();
    },
  });
  const url = await served((request, response) => {
    const headers = { 'x-app-signature': 'signed', 'x-twice': ['1', '2'], 'x-none': undefined };
    void handle(Object.assign(request, { rawHeaders: [], headers }), response);
  });
  await fetch(url);
  expect(seen).toEqual(['signed', '1, 2', null]);
});

it('nodeHandler answers 413 to a large body before it has arrived, and closes the connection', async () => {
  const { url } = await behindServer();
  const { status, connection } = await new Promise<{ status?: number; connection?: string }>(
    (resolve, reject) => {
      const headers = { 'x-app-signature': signatureOf('') };
      const request = httpRequest(url, { method: 'POST', headers }, async (response) => {
        resolve({ status: response.statusCode ?? 0, connection: response.headers.connection ?? '' });
        await text(response);
        request.destroy();
      });
      request.on('error', reject);
      // Two megabytes of ten.
      for (let part = 0; part < 20; part += 1) request.write(Buffer.alloc(100_000, 0x20));
    },
  );
  expect({ status, connection }).toEqual({ status: 413, connection: 'close' });
});

it('nodeHandler lets the rest of a refused body be read', async () => {
  const handle = nodeHandler({
    receive: async ({ body }) => {
      await body?.cancel();
      return new Response(null, { status: 413 });
    },
  });
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  const url = await served(async (request, response) => {
    await handle(request, response);
    // An error in an earlier listener would end the process, and this one would not be called.
    request.on('end', () => markEnded()).resume();
  });
  const { port } = new URL(url);
  const sent = httpRequest({ port, method: 'POST', agent: false }, (response) => response.resume());
  sent.end(Buffer.alloc(1000, 0x20));
  await expect(ended).resolves.toBeUndefined();
});

it('nodeHandler after a body parser gets 503, and the error says what to do', async () => {
  const { url, log } = await behindServer((request) => text(request));
  const headers = { 'x-app-signature': signatureOf('{}') };
  expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(503);
  expect(log.join()).toContain('before any body parser');
});

describe('nodeHandler behind a body parser', () => {
  /** What a parser leaves on the request, and the status of a push in JSON with and without blanks. */
  it.each<[string, (bytes: Buffer) => object, compact: number, spaced: number]>([
    ['that keeps the bytes as rawBody', (rawBody) => ({ rawBody, body: JSON.parse(`${rawBody}`) }), 200, 200],
    ['that keeps a string as rawBody', (bytes) => ({ rawBody: `${bytes}`, body: {} }), 200, 200],
    ['express.raw', (body) => ({ body }), 200, 200],
    ['express.text', (bytes) => ({ body: `${bytes}` }), 200, 200],
    ['that keeps only the object', (bytes) => ({ body: JSON.parse(`${bytes}`) }), 200, 503],
    ['that keeps what cannot be JSON', () => ({ body: { id: 1n } }), 503, 503],
    ['that keeps nothing', () => ({}), 503, 503],
  ])('%s', async (_what, keep, compact, spaced) => {
    const { mock, noted, url, log } = await behindServer(async (request) => {
      Object.assign(request, keep(await buffer(request)));
    });
    const push = async (body: string, signature = signatureOf(body)) =>
      (await fetch(url, { method: 'POST', headers: { 'x-app-signature': signature }, body })).status;
    const events = [mock.createOrder().event, mock.createOrder().event];
    const [first, second] = events.map((event) => ({ ...event, note: 'maçã 🍎' }));
    expect(await push(JSON.stringify(first))).toBe(compact);
    expect(await push(JSON.stringify(second, undefined, 2))).toBe(spaced);
    expect(noted).toHaveLength([compact, spaced].filter((status) => status === 200).length);
    if (spaced === 503) expect(log.join()).toContain('express.json({ verify:');
    // A wrong signature is refused, whatever the parser has kept.
    expect(await push(JSON.stringify(first), signatureOf('{}'))).toBe(spaced === 503 ? 503 : 403);
    expect(noted.length).toBeLessThanOrEqual(2);
  });

  it('refuses other values in a parsed object whose signature is genuine', async () => {
    const { mock, noted, url } = await behindServer(async (request) => {
      Object.assign(request, { body: { ...JSON.parse(await text(request)), orderId: 'another' } });
    });
    const body = JSON.stringify(mock.createOrder().event);
    const headers = { 'x-app-signature': signatureOf(body) };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(503);
    expect(noted).toEqual([]);
  });
});

it('mock.push reaches a poller over HTTP', async () => {
  const { mock, noted, url } = await behindServer();
  const pushing = mock.push(url);
  const { event } = mock.createOrder();
  await expect.poll(() => pushing.deliveries).toMatchObject([{ eventId: event.eventId, status: 200 }]);
  expect(noted).toEqual([event.eventId]);
  expect(mock.pending()).toEqual([]);
});
