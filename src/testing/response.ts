import type { Clock } from '../time/clock.js';
import type { Fault } from './fault.js';
import type { DrawnFault } from './faults.js';
import { ManualClock } from './manual-clock.js';
import { shuffle } from './random.js';

export interface MockResponse {
  readonly status: number;
  /** A string is sent as HTML, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response with the standard's body. */
export function problem(status: number, title: string, headers: Record<string, string> = {}): MockResponse {
  return {
    status,
    body: { title, status },
    headers: { 'content-type': 'application/problem+json', ...headers },
  };
}

/** Thrown in place of a response. Each transport (MSW, fetch, HTTP) turns it into its own kind of failure. */
export class BrokenConnection extends Error {
  constructor() {
    super('the mock hub broke the connection');
  }
}

/** The error that Node's fetch throws when a connection breaks. */
export function networkError(message = 'fetch failed'): TypeError {
  const cause = Object.assign(new Error('other side closed'), {
    code: 'UND_ERR_SOCKET',
    name: 'SocketError',
  });
  return new TypeError(message, { cause });
}

/** A `Response` may not have a body with these statuses. */
const NO_BODY = new Set([204, 205, 304]);

/** Serializes a response, damaged by its fault. */
export function toResponse(
  { status, body, headers = {} }: MockResponse,
  fault: Fault | undefined,
  clock: Clock,
  signal: AbortSignal,
): Response {
  if (NO_BODY.has(status)) return new Response(null, { status, headers });
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  const typed = text === '' || hasContentType(headers) ? headers : { ...headers, 'content-type': type };
  const respondWith = (
    content: ConstructorParameters<typeof Response>[0],
    more: Record<string, string> = {},
  ) => new Response(content, { status, headers: { ...typed, ...more } });
  switch (fault?.type) {
    case 'malformed':
      return respondWith(firstHalf(encoded(text)));
    case 'truncate': {
      const bytes = encoded(text);
      return respondWith(breakingAfter(firstHalf(bytes)), { 'content-length': String(bytes.length) });
    }
    case 'dribble':
      return respondWith(dribbling(encoded(text), clock, signal));
    default:
      return respondWith(text === '' ? null : text);
  }
}

/** Most responses need no `Headers` of their own, which cost as much as the rest of the response. */
const hasContentType = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');

const encoded = (text: string) => new TextEncoder().encode(text);

const firstHalf = (bytes: Uint8Array<ArrayBuffer>) => bytes.subarray(0, Math.floor(bytes.length / 2));

/** Applies the faults `duplicate` and `reorder` to the events of a poll. */
export function disturbEvents(response: MockResponse, drawn: DrawnFault | undefined): MockResponse {
  if (!Array.isArray(response.body)) return response;
  if (drawn?.fault.type === 'duplicate') return { ...response, body: [...response.body, ...response.body] };
  if (drawn?.fault.type !== 'reorder') return response;
  const body = [...response.body];
  shuffle(body, drawn.count);
  const isSame = body.every((event, index) => event === (response.body as unknown[])[index]);
  if (isSame && body.length > 1) body.push(body.shift());
  return { ...response, body };
}

function breakingAfter(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isSent || bytes.length === 0) controller.error(networkError('terminated'));
      else controller.enqueue(bytes);
      isSent = true;
    },
  });
}

const DRIBBLE_MS = 1000;

function dribbling(bytes: Uint8Array, clock: Clock, signal: AbortSignal): ReadableStream<Uint8Array> {
  let sent = 0;
  const cancelled = new AbortController();
  signal.addEventListener('abort', () => cancelled.abort(signal.reason), { once: true });
  return new ReadableStream({
    async pull(controller) {
      if (sent >= bytes.length) return controller.close();
      try {
        await sleepParked(clock, DRIBBLE_MS, cancelled.signal);
        controller.enqueue(bytes.subarray(sent, sent + 1));
        sent += 1;
      } catch (reason) {
        controller.error(reason);
      }
    },
    cancel: () => cancelled.abort(),
  });
}

/** Never responds; rejects when the client aborts. */
export async function hang(clock: Clock, signal: AbortSignal): Promise<never> {
  await sleepParked(clock, Number.POSITIVE_INFINITY, signal);
  throw new BrokenConnection();
}

/** Sleeps on behalf of a request that holds the clock, such as a delayed response of the mock hub. */
export async function sleepParked(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const unpark = clock instanceof ManualClock ? clock.park() : undefined;
  await clock.sleep(ms, signal).finally(unpark);
}
