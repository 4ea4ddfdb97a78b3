import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
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
import { collect, TooLarge } from '../../src/http/body.js';
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

/** Zeros that come out of next to nothing, twice over. */
const zeros = Buffer.alloc(20 * MEBIBYTE);
const BOMBS: ReadonlyArray<[coding: string, bytes: Buffer]> = [
  ['gzip', gzipSync(zeros)],
  ['x-gzip', gzipSync(zeros)],
  ['deflate', deflateSync(zeros)],
  ['br', brotliCompressSync(zeros)],
  ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ['gzip, deflate, br', brotliCompressSync(deflateSync(gzipSync(zeros)))],
  ['gzip, gzip, gzip, gzip, gzip', [1, 2, 3, 4].reduce((bytes) => gzipSync(bytes), gzipSync(zeros))],
];

const WAYS: ReadonlyArray<[way: string, options: Partial<HubClientOptions>]> = [
  ['an Agent of our own', {}],
  ["Node's own fetch", { fetch: (url, init) => globalThis.fetch(url, init) }],
];

describe.each(WAYS)('over %s', (_way, options) => {
  const start = async (answer: Parameters<typeof socketServer>[0]) => {
    const clock = new ManualClock();
    const server = await socketServer(answer);
    const { hub } = clientOf(server.url, {
      ...options,
      clock,
      timeoutMs: 5000,
      maxResponseBytes: { merchant: MEBIBYTE },
    });
    return { server, clock, hub, get: () => hub.merchant.get({ fresh: true }) };
  };

  const bombs = BOMBS.filter(([coding]) => stacksCodings(options) || !coding.includes('deflate, br'));

  it.each(bombs)('a bomb of %s is cut off, its connection closed', async (coding, bytes) => {
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
      'said to be huge',
      (send) => endlessly(send, head('content-length: 99999999999999'), () => ' '.repeat(65_536)),
    ],
    [
      'one chunk said to be huge',
      (send) => endlessly(send, `${head(CHUNKED)}fffffff\r\n`, () => ' '.repeat(65_536)),
    ],
  ])('a body that is %s is cut off, and its connection closed', async (_what, answer) => {
    const { server, get } = await start(answer);
    await failure(get(), ResponseTooLargeError);
    await server.ended();
    // What the sockets of both sides hold is all that comes over the bound.
    expect(server.sentBytes).toBeLessThan(16 * MEBIBYTE);
  });

  it.each<[string, (send: Send) => unknown]>([
    ['header lines', (send) => endlessly(send, 'HTTP/1.1 200 OK\r\n', () => `x-${'a'.repeat(1000)}: b\r\n`)],
    ['one header', (send) => endlessly(send, 'HTTP/1.1 200 OK\r\nx: ', () => 'a'.repeat(65_536))],
    [
      'trailers',
      (send) => endlessly(send, `${head(CHUNKED)}1\r\n{\r\n0\r\n`, () => `x-${'a'.repeat(1000)}: b\r\n`),
    ],
  ])('%s without an end are cut off, and their connection closed', async (_what, answer) => {
    const { server, get } = await start(answer);
    expect(await failure(get(), ConnectionError)).toMatchObject({ retryable: true });
    await server.ended();
    expect(server.sentBytes).toBeLessThan(16 * MEBIBYTE);
  });

  it.each<[string, (send: Send) => unknown]>([
    ['a status line without an end', (send) => endlessly(send, 'HTTP/1.1 200 ', () => 'O'.repeat(65_536))],
    [
      'chunk extensions without an end',
      (send) => endlessly(send, `${head(CHUNKED)}1;x=`, () => 'a'.repeat(65_536)),
    ],
    [
      'one informational answer after another',
      (send) => endlessly(send, '', () => 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
    ],
    ['a chunked body without an end', (send) => send(`${head(CHUNKED)}1\r\n{\r\n`)],
    ['less than its content-length', (send) => send(`${head('content-length: 10')}{`)],
    ['nothing at all', () => {}],
    ['half a header', (send) => send('HTTP/1.1 200 OK\r\nx')],
  ])('%s ends at the deadline, and its connection is closed', async (_what, answer) => {
    const { server, clock, get } = await start(answer);
    const failed = failure(get(), TimeoutError);
    await server.asked;
    // Virtual time does not wait for an answer that never comes.
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
      'ended in the middle of a chunk',
      async (send, socket) => {
        await send(`${head(CHUNKED)}ff\r\n{`);
        socket.end();
      },
    ],
    ['of two lengths', (send) => send(`${head('content-length: 2', 'content-length: 3')}{}x`)],
    ['of a length and in chunks', (send) => send(`${head('content-length: 2', CHUNKED)}{}`)],
    ['of a negative length', (send) => send(`${head('content-length: -1')}{}`)],
    ['of a length in words', (send) => send(`${head('content-length: two')}{}`)],
    ['in chunks of no size', (send) => send(`${head(CHUNKED)}zz\r\n{}\r\n`)],
    ['of another protocol', (send) => send('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'that is an upgrade nobody asked for',
      (send) => send('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
  ])('an answer %s is a ConnectionError, and its connection is closed', async (_what, answer) => {
    const { server, get } = await start(answer);
    expect(await failure(get(), ConnectionError)).toMatchObject({ retryable: true, mayHaveReachedHub: true });
    await server.ended();
  });

  it.runIf(stacksCodings(options))(
    'an answer in six codings is a ConnectionError, however good it is',
    async () => {
      const bytes = [1, 2, 3, 4, 5].reduce((each) => gzipSync(each), gzipSync(GOOD));
      const coding = `content-encoding: ${Array(6).fill('gzip').join(', ')}`;
      const { get } = await start(async (send) => {
        await send(head(coding, `content-length: ${bytes.length}`));
        await send(bytes);
      });
      expect((await failure(get(), ConnectionError)).message).toContain('too many content');
      // Node's fetch leaves such a connection open, and takes an abort after its own failure for an uncaught one.
      if (options.fetch) return;
      const endless = await start((send) => endlessly(send, head(coding), () => bytes));
      await failure(endless.get(), ConnectionError);
      await endless.server.ended();
    },
  );

  it('an answer that is not what its coding says is a ConnectionError', async () => {
    const { get } = await start((send) => send(`${head('content-encoding: gzip', 'content-length: 2')}{}`));
    await failure(get(), ConnectionError);
  });

  it('an answer longer than its content-length does not become the next one', async () => {
    const smuggled = `${head('content-length: 22')}{"id":"smuggled","x":1}`;
    const { get } = await start((send) =>
      send(`${head(`content-length: ${GOOD.length}`)}${GOOD}${smuggled}`),
    );
    for (let time = 0; time < 3; time += 1) {
      const { merchant } = await get();
      expect(merchant.id).toBe('1');
    }
  });

  it('an unknown coding leaves the body as it is, and that is no JSON', async () => {
    const { get } = await start((send) =>
      send(`${head('content-encoding: zstd2', 'content-length: 4')}(\u00b5/`),
    );
    await failure(get(), InvalidResponseError);
  });

  it('an error page without an end is cut, and tells its status', async () => {
    const { server, get } = await start((send) =>
      endlessly(send, `HTTP/1.1 500 No\r\n${CHUNKED}\r\n\r\n`, () => chunk('x'.repeat(65_536))),
    );
    expect((await failure(get(), ServerError)).body).toBe('x'.repeat(4096));
    await server.ended();
  });

  it('a body whose bytes come one by one is read, and its connection kept', async () => {
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

describe('collect', () => {
  it('keeps little more than the bytes of a body that comes in crumbs of large reads', async () => {
    // Each crumb is a view of 64 KiB that the socket has read: all of them would be 1.2 GiB.
    async function* crumbs() {
      for (let index = 0; index < 20_000; index += 1)
        yield new Uint8Array(65_536).subarray(index % 100, (index % 100) + 1);
    }
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    async function* watched() {
      for await (const each of crumbs()) {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
        yield each;
      }
    }
    expect((await collect(watched(), MEBIBYTE)).length).toBe(20_000);
    expect(peak).toBeLessThan(400 * MEBIBYTE);
  });

  it('gives every byte in its order, however they are cut', async () => {
    const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));
    async function* cut(lengths: readonly number[]) {
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const length = lengths[turn % lengths.length] ?? 1;
        yield bytes.subarray(at, at + length);
        at += length;
      }
    }
    for (const lengths of [[1], [3], [1, 5000], [4096], [4095], [1, 1, 1, 4096], [20_000]]) {
      expect((await collect(cut(lengths), bytes.length)).equals(bytes)).toBe(true);
      const cutOff = await collect(cut(lengths), 9999).catch((error: unknown) => error);
      expect(cutOff).toBeInstanceOf(TooLarge);
      expect((cutOff as TooLarge).head.equals(bytes.subarray(0, 9999))).toBe(true);
    }
  });
});
