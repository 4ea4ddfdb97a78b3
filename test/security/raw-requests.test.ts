/** @module-tag slow */
import { connect } from 'node:net';
import fc from 'fast-check';
import { nodeHandler } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signatureOf } from '../events/push/support.js';
import { runs } from '../runs.js';
import { clientOf } from '../support.js';
import { served } from '../temporary.js';

/** Sends bytes as they are, and resolves to everything that the server has sent before the connection ended. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
    socket.end(bytes, 'latin1');
  });
}

const headOf = (method: string, path: string, headers: readonly (readonly [string, string])[]) =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** A server that a stranger reaches. */
interface Door {
  readonly port: number;
  /** What the callback of the server has rejected with. */
  readonly rejections: readonly unknown[];
  /** The status of a request with these headers. */
  readonly usual: { readonly method: string; readonly path: string; readonly status: number };
}

async function pollerBehindServer(): Promise<Door> {
  const mock = createMockHub();
  const { hub } = clientOf(mock, { fetch: mock.fetch });
  const receiver = hub.poller().on('event', () => {});
  await receiver.start();
  const rejections: unknown[] = [];
  const handle = nodeHandler(receiver);
  const url = await served((request, response) => {
    handle(request, response).catch((error: unknown) => rejections.push(error));
  });
  const port = Number(new URL(url).port);
  return { port, rejections, usual: { method: 'GET', path: '/newEvent', status: 405 } };
}

async function listeningHub(): Promise<Door> {
  const { url, close } = await createMockHub().listen();
  onTestFinished(close);
  return {
    port: Number(new URL(url).port),
    rejections: [],
    usual: { method: 'GET', path: '/opendelivery/v1/merchant', status: 401 },
  };
}

const DOORS = [
  { door: 'nodeHandler', open: pollerBehindServer },
  { door: 'the mock hub', open: listeningHub },
];

/** On Node 20.18, `headersDistinct` throws if a request has one of the first two. */
const UNKNOWN_NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
];
const NAMES = [
  ...UNKNOWN_NAMES,
  ...['x-app-signature', 'x-app-merchantid', 'content-type', 'content-encoding', 'origin', 'sec-fetch-site'],
  ...['authorization', 'x-api-key', 'cookie', 'set-cookie', 'expect', 'upgrade', 'te', 'range', 'date'],
];
const names = fc.oneof(fc.constantFrom(...NAMES), fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/));
const values = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    'null',
    'a, b',
    '100-continue',
    'application/json',
    'x'.repeat(9000),
    signatureOf('{}'),
  ),
  // Every byte that the HTTP parser lets pass.
  fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,20}$/),
);
/** Their length, end and transfer are the parser's business: whoever breaks them gets 400 from Node, or no response. */
const FRAMING = ['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect'];
// With a signature, the receiver reads the body.
const signed = fc.constantFrom([], [['x-app-signature', signatureOf('{}')] as const]);
const headers = fc
  .tuple(signed, fc.array(fc.tuple(names, values), { maxLength: 6 }))
  .map(([signature, others]) => [...signature, ...others]);
const paths = fc.oneof(
  fc.constantFrom(
    '/',
    '//',
    '//x',
    '/%',
    '/%ff',
    '/_mock/orders',
    '/_mock/constructor',
    '/_mock/ui/__proto__',
  ),
  fc.constantFrom(
    '/opendelivery/v1/orders/__proto__',
    '/opendelivery/v1/events:polling',
    '*',
    'http://[',
    'x',
  ),
  fc.stringMatching(/^\/[!-~]{0,20}$/),
);
const methods = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
);
const bodies = fc.oneof(fc.constantFrom('', '{}', '[]', '{"__proto__":{}}', 'x'.repeat(300_000)), fc.json());

describe.each(DOORS)('$door, whoever sends to it', ({ open }) => {
  it.each(UNKNOWN_NAMES)('serves a request with the header %s as one without it', async (name) => {
    const { port, rejections, usual } = await open();
    const { method, path, status } = usual;
    const response = await exchange(port, headOf(method, path, [[name, 'x']]));
    expect([response.slice(0, 12), rejections]).toEqual([`HTTP/1.1 ${status}`, []]);
  });

  it('answers every well-formed request', async () => {
    const { port, rejections } = await open();
    const property = fc.asyncProperty(methods, paths, headers, bodies, async (method, path, given, body) => {
      const own = given.filter(([name]) => !FRAMING.includes(name.toLowerCase()));
      const length = ['content-length', String(Buffer.byteLength(body))] as const;
      const request = headOf(method, path, [...own, length]) + Buffer.from(body).toString('latin1');
      expect(await exchange(port, request)).toMatch(/^HTTP\/1\.1 (?!500)[2-5]\d\d /);
      expect(rejections).toEqual([]);
    });
    await fc.assert(property, { numRuns: runs(1200, 16) });
  });

  it('survives every other one', async () => {
    const { port, rejections, usual } = await open();
    const anyBytes = fc.string({ unit: fc.constantFrom('\r\n', ':', ' ', '\0', 'a', '\xff'), maxLength: 20 });
    const property = fc.asyncProperty(
      fc.tuple(methods, paths, headers, bodies, anyBytes, fc.nat(400_000)),
      async ([method, path, given, body, bytes, length]) => {
        const head = headOf(method, path, [...given, ['content-length', String(length)]]);
        await exchange(port, `${head.slice(0, -2)}${bytes}\r\n${Buffer.from(body).toString('latin1')}`);
        expect(rejections).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: runs(1200, 16) });
    const response = await exchange(port, headOf(usual.method, usual.path, []));
    expect(response.slice(0, 12)).toBe(`HTTP/1.1 ${usual.status}`);
  });
});
