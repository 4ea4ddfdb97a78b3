import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { HubClient, type HubClientOptions } from 'opendelivery-client';
import { createMockHub, type Json, ManualClock, type MockHub } from 'opendelivery-client/testing';
import { MockAgent } from 'undici';
import { expect, onTestFinished, vi } from 'vitest';
import { stage } from '../support.js';

/** A request that a raw server received. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when its connection has ended. */
  readonly closed: Promise<void>;
}

export type Responder = (response: ServerResponse, seen: Seen) => unknown;

/** An HTTP server on this machine that records its requests and connections. */
export interface RawServer {
  readonly url: string;
  readonly requests: readonly Seen[];
  readonly connections: number;
  respond: Responder;
  close(): Promise<void>;
}

export async function rawServer(respond: Responder): Promise<RawServer> {
  const requests: Seen[] = [];
  const sockets = new Map<Socket, Promise<void>>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const closed = sockets.get(request.socket) ?? Promise.resolve();
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString(), closed };
    requests.push(seen);
    await raw.respond(response, seen);
  });
  server.keepAliveTimeout = 0;
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, new Promise((resolve) => socket.once('close', () => resolve())));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const raw: RawServer = {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return sockets.size;
    },
    respond,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(async () => void (await raw.close()));
  return raw;
}

/** A dispatcher whose requests to `https://hub.example` all fail like that. */
export function failingAgent(error: Error): MockAgent {
  const agent = new MockAgent();
  agent
    .get('https://hub.example')
    .intercept({ path: () => true, method: () => true })
    .replyWithError(error)
    .persist();
  return agent;
}

/** A URL on this machine where nothing listens. */
export async function refusingUrl(): Promise<string> {
  const server = await rawServer(() => {});
  await server.close();
  return server.url;
}

/**
 * Whether a transport decodes several content codings of one body correctly. Node 20.18's own fetch (undici 6.20)
 * decodes them in the wrong order, and any number of them; the SDK cannot change that.
 */
export function stacksCodings({ fetch }: Partial<HubClientOptions>): boolean {
  return fetch === undefined || !/^6\.(?:1?\d|20)\./.test(process.versions.undici ?? '');
}

/** Responds with this status and body. */
export function sends(status: number, body: string | Buffer = '', headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** Uses each responder once, in this order, then the last one again. */
export function sendsInTurn(...responders: readonly Responder[]): Responder {
  let at = 0;
  return (response, seen) => {
    const respond = responders[Math.min(at, responders.length - 1)];
    at += 1;
    return respond?.(response, seen);
  };
}

/** Never responds. Virtual time does not wait for it. */
export function hangs(clock: ManualClock): Responder {
  return (response) => void response.once('close', clock.park());
}

/** Starts a response and sends one more space each second, without end. */
export function dribbles(clock: ManualClock, status = 200): Responder {
  return async (response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write(' ');
    while (!gone.signal.aborted) {
      const unpark = clock.park();
      await clock
        .sleep(1000, gone.signal)
        .catch(() => {})
        .finally(unpark);
      response.write(' ');
    }
  };
}

/** Forwards the request to a mock hub. @param status - replaces the status of its response. */
export function passesOn(mock: MockHub, status?: number): Responder {
  return async (response, { method, url, headers, body }) => {
    const forwarded = await mock.fetch(mock.baseUrl + url, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(method !== 'GET' && { body }),
    });
    response.writeHead(status ?? forwarded.status, Object.fromEntries(forwarded.headers));
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  };
}

/** A client with one attempt per call, on a manual clock. */
export function clientOf(baseUrl: string, options: Partial<HubClientOptions> = {}) {
  const clock = options.clock instanceof ManualClock ? options.clock : new ManualClock();
  const hub = new HubClient({
    baseUrl,
    clientId: '1001',
    clientSecret: 'mock-client-secret',
    apiKey: 'mock-api-key',
    logger: false,
    ...options,
    retry: { attempts: 1, ...options.retry },
    clock,
  });
  onTestFinished(async () => void (await hub.close()));
  return { hub, clock };
}

/** A client and a mock hub that does not wait for commands, on one manual clock. */
export const clientAndMock = (options?: Partial<HubClientOptions>) =>
  stage({ unansweredAfterMs: Number.POSITIVE_INFINITY }, options);

/** When the endpoint received requests, in monotonic ms. */
export const timesAt = (mock: MockHub, endpoint: string) =>
  mock.requests.filter((entry) => entry.endpoint === endpoint).map(({ monotonicAt }) => monotonicAt);

/** The differences between successive times. */
export const gaps = (times: readonly number[]) => times.slice(1).map((time, at) => time - (times[at] ?? 0));

/** Makes `Math.random` return a fixed value for the rest of the test. */
export function fixRandom(value: number): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(value);
  onTestFinished(() => random.mockRestore());
}

/** The document of the mock hub's first store. */
export async function merchantDocument(): Promise<Json> {
  const mock = createMockHub({ clock: new ManualClock() });
  const response = await mock.fetch(`${mock.baseUrl}/opendelivery/v1/merchant`, {
    headers: { 'x-api-key': mock.credentials.apiKey },
  });
  return (await response.json()) as Json;
}

/** Returns the error of a call, which must be an instance of this class. */
export async function failure<E extends Error>(
  call: Promise<unknown>,
  kind: abstract new (...given: never[]) => E,
): Promise<E> {
  const outcome = await call.then(
    (value) => ({ resolved: value }),
    (error: unknown) => ({ rejected: error }),
  );
  if (!('rejected' in outcome)) expect.fail(`the call succeeded, ${kind.name} was expected`);
  expect(outcome.rejected).toBeInstanceOf(kind);
  return outcome.rejected as E;
}

export const CLIENT_ID = '1001';
/** Secrets with every character that needs escaping somewhere; the key and the token only with those allowed in a header. */
export const SECRETS = {
  clientSecret: 's3cr&t+/=% "quote\\ é<>\'`日😀~!',
  apiKey: 'k3y&+/=% "quote\\ <>\'`~!*()',
  token: 'tok3n.&+/=%"quote\\<>\'`~!-_',
};

type Spelling = readonly [name: string, of: (secret: string) => string];

const percent = (text: string, kept: RegExp) =>
  [...Buffer.from(text)]
    .map((byte) => String.fromCharCode(byte))
    .map((char) =>
      kept.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
const unicode = (char: string, upper = false) =>
  [...Array(char.length).keys()]
    .map((at) => char.charCodeAt(at).toString(16).padStart(4, '0'))
    .map((hex) => `\\u${upper ? hex.toUpperCase() : hex}`)
    .join('');
const jsonText = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (quote: string, apostrophe: string) => (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);
const phpHex = (text: string) =>
  jsonText(text)
    .replaceAll('/', '\\/')
    .replaceAll('\\"', unicode('"'))
    .replace(/[<>&']/g, (char) => unicode(char, true));
const hexOf = (character: string) => character.charCodeAt(0).toString(16).toUpperCase();
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The escapings in which hubs echo a secret, each like the library that produces it. */
export const SPELLINGS: readonly Spelling[] = [
  ['plain', (secret) => secret],
  ['url: encodeURIComponent', encodeURIComponent],
  ['url: RFC 3986', (secret) => percent(secret, /[\w.~-]/)],
  [
    'url: RFC 3986 in lower case',
    (secret) => percent(secret, /[\w.~-]/).replace(/%../g, (hex) => hex.toLowerCase()),
  ],
  ['url: encodeURI', encodeURI],
  ['form: URLSearchParams', (secret) => new URLSearchParams({ s: secret }).toString().slice(2)],
  ['form: PHP', (secret) => percent(secret, /[\w.-]| /).replaceAll(' ', '+')],
  ['form: Python', (secret) => percent(secret, /[\w.~-]| /).replaceAll(' ', '+')],
  [
    'base64 of clientId:secret',
    (secret) => (secret === SECRETS.clientSecret ? base64(`${CLIENT_ID}:${secret}`) : secret),
  ],
  ['JSON: Node', jsonText],
  ['JSON: Python', (secret) => jsonText(secret).replace(/[^ -~]/g, (char) => unicode(char))],
  [
    'JSON: PHP',
    (secret) =>
      jsonText(secret)
        .replaceAll('/', '\\/')
        .replace(/[^ -~]/g, (char) => unicode(char)),
  ],
  ['JSON: Go', (secret) => jsonText(secret).replace(/[<>&]/g, (char) => unicode(char))],
  ['JSON: Gson', (secret) => jsonText(secret).replace(/[<>&'=]/g, (char) => unicode(char))],
  ['JSON: PHP with JSON_HEX_*', (secret) => phpHex(secret).replace(/[^ -~]/g, (char) => unicode(char))],
  ['JSON: PHP with JSON_HEX_* and JSON_UNESCAPED_UNICODE', phpHex],
  [
    'JSON: .NET',
    (secret) => secret.replaceAll('\\', '\\\\').replace(/[^ -~]|["&'+<>`]/g, (char) => unicode(char, true)),
  ],
  ['HTML: PHP', html('&quot;', '&#039;')],
  ['HTML: Python', html('&quot;', '&#x27;')],
  ['HTML: Underscore', (s) => html('&quot;', '&#x27;')(s).replaceAll('`', '&#x60;')],
  ['HTML: OWASP', (s) => html('&quot;', '&#x27;')(s).replaceAll('/', '&#x2F;')],
  ['HTML: Go', html('&#34;', '&#39;')],
  ['HTML: PHP before 8.1', html('&quot;', "'")],
  ['HTML: text of an element', html('"', "'")],
  [
    'HTML: Handlebars',
    (s) => html('&quot;', '&#x27;')(s).replaceAll('=', '&#x3D;').replaceAll('`', '&#x60;'),
  ],
  ['HTML: mustache.js', (s) => html('&quot;', '&#39;')(s).replace(/[/`=]/g, (c) => `&#x${hexOf(c)};`)],
  [
    'HTML: validator.js',
    (s) =>
      html(
        '&quot;',
        '&#x27;',
      )(s)
        .replace(/[/\\]/g, (c) => `&#x${hexOf(c)};`)
        .replaceAll('`', '&#96;'),
  ],
];
