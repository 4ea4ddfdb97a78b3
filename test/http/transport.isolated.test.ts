import { type AddressInfo, createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  ApiError,
  ConnectionError,
  type HubClientOptions,
  InvalidResponseError,
  RateLimitError,
  ResponseTooLargeError,
  ServerError,
  TimeoutError,
} from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { Agent, interceptors } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { soon } from '../soon.js';
import { during } from '../support.js';
import {
  clientOf,
  dribbles,
  failure,
  hangs,
  merchantDocument,
  type Responder,
  rawServer,
  refusingUrl,
  sends,
  sendsInTurn,
  stacksCodings,
} from './support.js';

const MEBIBYTE = 1024 * 1024;

/** Both transports must behave the same, down to the requests and connections that the server counts. */
const WAYS: ReadonlyArray<{ way: string; options: Partial<HubClientOptions>; mark?: string }> = [
  { way: "undici's request over an Agent of our own", options: {} },
  { way: "Node's own fetch", options: { fetch: (url, init) => globalThis.fetch(url, init) }, mark: 'cors' },
];

const document = await merchantDocument();
const json = JSON.stringify(document);
const menu = sends(200, json);

describe.each(WAYS)('over $way', ({ options, mark }) => {
  const start = async (responder: Responder, more: Partial<HubClientOptions> = {}) => {
    const server = await rawServer(responder);
    const { hub, clock } = clientOf(server.url, { ...options, ...more });
    return { server, hub, clock, get: () => hub.merchant.get({ fresh: true }) };
  };

  it('uses that transport and no other', async () => {
    const { server, get } = await start(menu);
    await get();
    // Every fetch sends this header.
    expect(server.requests.map(({ headers }) => headers['sec-fetch-mode'])).toEqual([mark]);
  });

  it.each([302, 307, 401, 404, 418, 429, 503])('reports status %i and its body, once', async (status) => {
    const { server, get } = await start(sends(status, '{"title":"no"}'));
    const error = await failure(get(), ApiError);
    expect(error).toMatchObject({ status, endpoint: 'merchant', attempts: 1, body: '{"title":"no"}' });
    expect([server.requests.length, server.connections]).toEqual([1, 1]);
  });

  it.each<[string, Responder]>([
    [
      'that is not in its content coding',
      sends(429, 'busy', { 'content-encoding': 'gzip', 'retry-after': '120' }),
    ],
    [
      'that is cut off',
      (response) => {
        response.writeHead(429, { 'content-length': 100, 'retry-after': '120' });
        response.write('{', () => response.socket?.destroy());
      },
    ],
  ])('knows the status and Retry-After of an error page %s', async (_what, responder) => {
    const { get } = await start(responder);
    expect((await failure(get(), RateLimitError)).retryAfterMs).toBeGreaterThanOrEqual(120_000);
  });

  it('keeps the time limit while a connection is being opened', { timeout: 5000 }, async () => {
    const sockets = new Set<Socket>();
    // It accepts connections, and never answers the TLS handshake.
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => {}).resume()));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const { hub, clock } = clientOf(`https://127.0.0.1:${port}`, options);
    const failed = failure(hub.merchant.get({ fresh: true, timeoutMs: 300 }), TimeoutError);
    await soon(() => expect(sockets.size).toBe(1));
    clock.park();
    await clock.advance(300);
    expect(await failed).toMatchObject({ timeoutMs: 300 });
    const again = hub.merchant.get({ fresh: true }).catch(() => {});
    await hub.close();
    await again;
    // Node's own fetch leaves them to its own time limit.
    if (!mark) await soon(() => expect([...sockets].every(({ closed }) => closed)).toBe(true));
  });

  it('reports that a refused connection never reached the hub', async () => {
    const { hub } = clientOf(await refusingUrl(), options);
    const error = await failure(hub.merchant.get(), ConnectionError);
    expect(error).toMatchObject({ endpoint: 'merchant', retryable: true, mayHaveReachedHub: false });
  });

  it.each<[string, Responder]>([
    ['before the response', (response) => response.socket?.resetAndDestroy()],
    [
      'in the middle of the body',
      (response) => {
        response.writeHead(200, { 'content-length': json.length });
        response.write(json.slice(0, 20), () => response.socket?.resetAndDestroy());
      },
    ],
  ])('reports a reset %s, once', async (_when, responder) => {
    const { server, get } = await start(responder);
    const error = await failure(get(), ConnectionError);
    expect(error).toMatchObject({ retryable: true, mayHaveReachedHub: true });
    expect([server.requests.length, server.connections]).toEqual([1, 1]);
  });

  it.each([
    ['a request without a response', hangs],
    ['a dribbling body', dribbles],
  ] as const)('ends %s at the deadline and closes its connection', async (_what, bad) => {
    const clock = new ManualClock();
    const { server, get } = await start(bad(clock), { clock, timeoutMs: 5000 });
    let ended = false;
    const failed = failure(get(), TimeoutError).finally(() => {
      ended = true;
    });
    await clock.advance(4999);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(await failed).toMatchObject({ operation: 'merchant', timeoutMs: 5000 });
    await server.requests[0]?.closed;
    expect(server.requests).toHaveLength(1);
  });

  it('cuts off a response that is too large, and the next one is read', async () => {
    const { server, get } = await start(sendsInTurn(sends(200, Buffer.alloc(2 * MEBIBYTE, ' ')), menu), {
      maxResponseBytes: { merchant: MEBIBYTE },
    });
    const error = await failure(get(), ResponseTooLargeError);
    expect(error).toMatchObject({ endpoint: 'merchant', maxBytes: MEBIBYTE, retryable: false });
    expect((await get()).merchant.id).toBe(document.id);
    expect(server.requests).toHaveLength(2);
  });

  it('accepts a response of exactly the limit, compressed or not, and rejects one byte more', async () => {
    const exact = Buffer.from(json.padEnd(8000, ' '));
    const more = Buffer.concat([exact, Buffer.from(' ')]);
    const gzip = { 'content-encoding': 'gzip' };
    const { get } = await start(
      sendsInTurn(
        sends(200, exact),
        sends(200, gzipSync(exact), gzip),
        sends(200, more),
        sends(200, gzipSync(more), gzip),
      ),
      { maxResponseBytes: { merchant: exact.length } },
    );
    expect((await get()).stale).toBe(false);
    expect((await get()).stale).toBe(false);
    // The cached copy is returned instead of the rejected response.
    expect((await get()).stale).toBe('error');
    expect((await get()).stale).toBe('error');
  });

  it.each<[coding: string, body: Buffer]>([
    ['gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    // Some servers leave out the header of zlib.
    ['deflate', deflateRawSync(json)],
    ['br', brotliCompressSync(json)],
    ...(stacksCodings(options)
      ? [deflateSync(json), deflateRawSync(json)].map((bytes): [string, Buffer] => [
          'deflate, gzip',
          gzipSync(bytes),
        ])
      : []),
    ['x-nobody-knows', Buffer.from(json)],
  ])('reads a body with content-encoding %s', async (coding, body) => {
    const { server, get } = await start(sends(200, body, { 'content-encoding': coding }));
    expect((await get()).merchant.basicInfo?.address?.city).toBe('São Paulo');
    expect(server.requests[0]?.headers['accept-encoding']).toContain('gzip');
  });

  it('reports a truncated gzip body as an invalid response', async () => {
    const whole = gzipSync(json);
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    const { server, get } = await start(sendsInTurn(sends(200, half, { 'content-encoding': 'gzip' }), menu));
    expect(await failure(get(), InvalidResponseError)).toMatchObject({ retryable: true });
    expect((await get()).merchant.id).toBe(document.id);
    expect(server.requests).toHaveLength(2);
  });

  it('skips a byte order mark', async () => {
    const { get } = await start(sends(200, `\ufeff${json}`));
    expect((await get()).merchant.basicInfo?.address?.city).toBe('São Paulo');
  });

  it('decodes the charset that the hub names', async () => {
    const { get } = await start(
      sends(200, Buffer.from(json, 'latin1'), { 'content-type': 'application/json; charset=iso-8859-1' }),
    );
    expect((await get()).merchant.basicInfo?.address?.city).toBe('São Paulo');
  });

  it('keeps one connection through 429 and small error pages', async () => {
    const page = `<html>${'<p>Service Unavailable</p>'.repeat(100)}</html>`;
    const { server, clock, get } = await start(
      sendsInTurn(
        sends(429),
        sends(500, page),
        sends(503, gzipSync(page), { 'content-encoding': 'gzip' }),
        menu,
      ),
      { retry: { attempts: 4 } },
    );
    expect((await during(clock, '5m', get())).merchant.id).toBe(document.id);
    await get();
    expect([server.requests.length, server.connections]).toEqual([5, 1]);
  });

  it.each([
    ['of 20 kB', Buffer.alloc(20_000, 'x'), {}],
    ['of 10 MB', Buffer.alloc(10 * MEBIBYTE, 'x'), {}],
    ['of 10 MB, compressed', gzipSync(Buffer.alloc(10 * MEBIBYTE, 'x')), { 'content-encoding': 'gzip' }],
  ])('keeps 4 KiB of an error page %s, and the next call works', async (_how, body, headers) => {
    const { server, get } = await start(sendsInTurn(sends(500, body, headers), menu));
    const error = await failure(get(), ServerError);
    expect(error.body).toBe('x'.repeat(4096));
    expect((await get()).merchant.id).toBe(document.id);
    expect(server.requests).toHaveLength(2);
  });
});

it('takes no response from a cache that is composed into the dispatcher', async () => {
  const server = await rawServer(sends(200, json, { 'cache-control': 'public, max-age=600' }));
  const dispatcher = new Agent().compose(interceptors.cache());
  onTestFinished(() => dispatcher.destroy());
  const { hub } = clientOf(server.url, { dispatcher });
  for (const _ of [1, 2]) await hub.merchant.get({ fresh: true });
  expect(server.requests).toHaveLength(2);
});
