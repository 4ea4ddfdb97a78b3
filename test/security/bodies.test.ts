import type { Socket } from 'node:net';

import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  ConnectionError,
  type HubClientOptions,
  InvalidResponseError,
  ResponseTooLargeError,
  ServerError,
  TimeoutError,
} from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';

import { clientOf, failure, stacksCodings } from '../http/support.js';
import { type Send, socketServer } from './socket-server.js';

const MEBIBYTE = 1024 * 1024;
const head = (...headers: string[]) => ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');
const chunk = (text: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`${text.length.toString(16)}\r\n`),
    Buffer.from(text as string),
    Buffer.from('\r\n'),
  ]);
const CHUNKED = 'transfer-encoding: chunked';
const GOOD = '{"id":"1"}';

async function endlessly(send: Send, first: string, next: () => string | Buffer): Promise<void> {
  let isOpen = await send(first);
  while (isOpen) isOpen = await send(next());
}

/** 8 MiB of zeros, which compress to a few KiB. */
const zeros = Buffer.alloc(8 * MEBIBYTE);
const zipped = gzipSync(zeros);
/** The default quality takes seconds. */
const brotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const BOMBS: ReadonlyArray<[coding: string, bytes: Buffer]> = [
  ['gzip', zipped],
  ['x-gzip', zipped],
  ['deflate', deflateSync(zeros)],
  ['deflate', deflateRawSync(zeros)],
  ['br', brotli(zeros)],
  ['gzip, gzip', gzipSync(zipped)],
  ['gzip, deflate, br', brotli(deflateSync(zipped))],
  ['gzip, gzip, gzip, gzip, gzip', [1, 2, 3, 4].reduce((bytes) => gzipSync(bytes), zipped)],
];

const WAYS: ReadonlyArray<[way: string, options: Partial<HubClientOptions>]> = [
  ['an Agent of our own', {}],
  ["Node's own fetch", { fetch: (url, init) => globalThis.fetch(url, init) }],
];

describe.each(WAYS)('over %s', (_way, options) => {
  const start = async (respond: Parameters<typeof socketServer>[0]) => {
    const clock = new ManualClock();
    const server = await socketServer(respond);
    const { hub } = clientOf(server.url, {
      ...options,
      clock,
      timeoutMs: 5000,
      maxResponseBytes: { merchant: MEBIBYTE },
    });
    return { server, clock, hub, get: () => hub.merchant.get({ fresh: true }) };
  };

  const bombs = BOMBS.filter(([coding]) => stacksCodings(options) || !coding.includes('deflate, br'));

  it.each(bombs)('a compression bomb in %s is aborted as too large', async (coding, bytes) => {
    const { server, get } = await start(async (send) => {
      await send(head(`content-encoding: ${coding}`, `content-length: ${bytes.length}`));
      await send(bytes);
    });
    const before = process.memoryUsage().rss;
    await failure(get(), ResponseTooLargeError);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEBIBYTE);
    expect(server.connections).toBe(1);
  });

  it.each<[string, (send: Send) => unknown]>([
    ['endless', (send) => endlessly(send, head('connection: close'), () => ' '.repeat(65_536))],
    ['chunked and endless', (send) => endlessly(send, head(CHUNKED), () => chunk(' '.repeat(65_536)))],
    [
      'announced as huge',
      (send) => endlessly(send, head('content-length: 99999999999999'), () => ' '.repeat(65_536)),
    ],
    [
      'one chunk announced as huge',
      (send) => endlessly(send, `${head(CHUNKED)}fffffff\r\n`, () => ' '.repeat(65_536)),
    ],
  ])('a body that is %s is aborted as too large, and its connection is closed', async (_what, respond) => {
    const { server, get } = await start(respond);
    await failure(get(), ResponseTooLargeError);
    await server.ended();
    // Beyond the limit, only what the buffers of both sockets hold was sent.
    expect(server.sentBytes).toBeLessThan(16 * MEBIBYTE);
  });

  it.each<[string, (send: Send) => unknown]>([
    ['header lines', (send) => endlessly(send, 'HTTP/1.1 200 OK\r\n', () => `x-${'a'.repeat(1000)}: b\r\n`)],
    ['one header', (send) => endlessly(send, 'HTTP/1.1 200 OK\r\nx: ', () => 'a'.repeat(65_536))],
    [
      'trailers',
      (send) => endlessly(send, `${head(CHUNKED)}1\r\n{\r\n0\r\n`, () => `x-${'a'.repeat(1000)}: b\r\n`),
    ],
  ])('endless %s are a ConnectionError, and their connection is closed', async (_what, respond) => {
    const { server, get } = await start(respond);
    expect(await failure(get(), ConnectionError)).toMatchObject({ retryable: true });
    await server.ended();
    expect(server.sentBytes).toBeLessThan(16 * MEBIBYTE);
  });

  it.each<[string, (send: Send) => unknown]>([
    ['an endless status line', (send) => endlessly(send, 'HTTP/1.1 200 ', () => 'O'.repeat(65_536))],
    ['endless chunk extensions', (send) => endlessly(send, `${head(CHUNKED)}1;x=`, () => 'a'.repeat(65_536))],
    [
      'endless informational responses',
      (send) => endlessly(send, '', () => 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(20)),
    ],
    ['a chunked body without its last chunk', (send) => send(`${head(CHUNKED)}1\r\n{\r\n`)],
    ['a body shorter than its content-length', (send) => send(`${head('content-length: 10')}{`)],
    ['no response', () => {}],
    ['half a header', (send) => send('HTTP/1.1 200 OK\r\nx')],
  ])('%s is a TimeoutError, and its connection is closed', async (_what, respond) => {
    const { server, clock, get } = await start(respond);
    const failed = failure(get(), TimeoutError);
    await server.requested;
    // Virtual time does not wait for a response that never comes.
    clock.park();
    await clock.advance('5s');
    expect(await failed).toMatchObject({ timeoutMs: 5000 });
    await server.ended();
    expect(clock.sleepers).toBe(0);
  });

  it.each<[string, (send: Send, socket: Socket) => unknown]>([
    [
      'shorter than its content-length',
      async (send, socket) => {
        await send(`${head('content-length: 10')}{`);
        socket.end();
      },
    ],
    [
      'that ends in the middle of a chunk',
      async (send, socket) => {
        await send(`${head(CHUNKED)}ff\r\n{`);
        socket.end();
      },
    ],
    ['with two content-lengths', (send) => send(`${head('content-length: 2', 'content-length: 3')}{}x`)],
    ['with a content-length and in chunks', (send) => send(`${head('content-length: 2', CHUNKED)}{}`)],
    ['with a negative content-length', (send) => send(`${head('content-length: -1')}{}`)],
    ['with a content-length that is not a number', (send) => send(`${head('content-length: two')}{}`)],
    ['in chunks without a size', (send) => send(`${head(CHUNKED)}zz\r\n{}\r\n`)],
    ['of another protocol', (send) => send('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'that is an upgrade without a request for it',
      (send) => send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
  ])('a response %s is a ConnectionError, and its connection is closed', async (_what, respond) => {
    const { server, get } = await start(respond);
    expect(await failure(get(), ConnectionError)).toMatchObject({ retryable: true, mayHaveReachedHub: true });
    await server.ended();
  });

  it.runIf(stacksCodings(options))(
    'a response in six content codings is a ConnectionError, even if its body is valid',
    async () => {
      const bytes = [1, 2, 3, 4, 5].reduce((each) => gzipSync(each), gzipSync(GOOD));
      const coding = `content-encoding: ${Array(6).fill('gzip').join(', ')}`;
      const { get } = await start(async (send) => {
        await send(head(coding, `content-length: ${bytes.length}`));
        await send(bytes);
      });
      expect((await failure(get(), ConnectionError)).message).toContain('too many content');
      // Node's fetch leaves such a connection open, and reports an abort after its own failure as uncaught.
      if (options.fetch) return;
      const endless = await start((send) => endlessly(send, head(coding), () => bytes));
      await failure(endless.get(), ConnectionError);
      await endless.server.ended();
    },
  );

  it('a response that its content coding cannot decode is a ConnectionError', async () => {
    const { get } = await start((send) => send(`${head('content-encoding: gzip', 'content-length: 2')}{}`));
    await failure(get(), ConnectionError);
  });

  it('what exceeds the content-length does not become the next response', async () => {
    const smuggled = `${head('content-length: 22')}{"id":"smuggled","x":1}`;
    const { get } = await start((send) =>
      send(`${head(`content-length: ${GOOD.length}`)}${GOOD}${smuggled}`),
    );
    for (let time = 0; time < 3; time += 1) {
      const { merchant } = await get();
      expect(merchant.id).toBe('1');
    }
  });

  it('a body in an unknown content coding is not decoded, so it is not JSON', async () => {
    const { get } = await start((send) =>
      send(`${head('content-encoding: zstd2', 'content-length: 4')}(\u00b5/`),
    );
    await failure(get(), InvalidResponseError);
  });

  it('an endless error page is cut to 4 KiB, and the error has its status', async () => {
    const { server, get } = await start((send) =>
      endlessly(send, `HTTP/1.1 500 No\r\n${CHUNKED}\r\n\r\n`, () => chunk('x'.repeat(65_536))),
    );
    expect((await failure(get(), ServerError)).body).toBe('x'.repeat(4096));
    await server.ended();
  });

  it('a body that arrives byte by byte is read, and its connection is reused', async () => {
    const { server, get } = await start(async (send) => {
      await send(head(CHUNKED));
      for (const byte of GOOD) await send(chunk(byte));
      await send('0\r\n\r\n');
    });
    expect((await get()).merchant.id).toBe('1');
    await new Promise((resolve) => setImmediate(resolve));
    for (let time = 0; time < 5; time += 1) await get();
    expect(server.connections).toBeLessThanOrEqual(2);
  });
});
