import type { Clock } from '../clock.js';
import { sleepParked } from './clocks.js';
import { type Outgoing, shuffle } from './endpoints.js';
import type { Fault } from './faults.js';

/** The connection breaks instead of an answer; each way into the mock hub shows it in its own manner. */
export class BrokenConnection extends Error {
  constructor() {
    super('the mock hub broke the connection');
  }
}

/** What a broken connection looks like through fetch. */
export function networkError(message = 'fetch failed'): TypeError {
  const cause = Object.assign(new Error('other side closed'), {
    code: 'UND_ERR_SOCKET',
    name: 'SocketError',
  });
  return new TypeError(message, { cause });
}

const NO_BODY = new Set([204, 205, 304]);

/** The answer as bytes, with what its fault does to them. */
export function toResponse(
  { status, body, headers }: Outgoing,
  fault: Fault | undefined,
  clock: Clock,
  signal: AbortSignal,
): Response {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const all = new Headers(headers);
  if (NO_BODY.has(status)) return new Response(null, { status, headers: all });
  if (text !== '' && !all.has('content-type')) {
    all.set('content-type', typeof body === 'string' ? 'text/html' : 'application/json');
  }
  const bytes = new TextEncoder().encode(text);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  switch (fault?.type) {
    case 'malformed':
      return new Response(half, { status, headers: all });
    case 'truncate':
      all.set('content-length', String(bytes.length));
      return new Response(breaking(half), { status, headers: all });
    case 'dribble':
      return new Response(dribbling(bytes, clock, signal), { status, headers: all });
    default:
      return new Response(bytes.length > 0 ? bytes : null, { status, headers: all });
  }
}

/** Lists twice, or in another order, what a poll answers. */
export function disturb(answer: Outgoing, fault: Fault | undefined, seed: number): Outgoing {
  if (!Array.isArray(answer.body)) return answer;
  if (fault?.type === 'duplicate') return { ...answer, body: [...answer.body, ...answer.body] };
  if (fault?.type !== 'reorder') return answer;
  const body = [...answer.body];
  shuffle(body, seed);
  return { ...answer, body };
}

function breaking(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent || bytes.length === 0) controller.error(networkError('terminated'));
      else controller.enqueue(bytes);
      sent = true;
    },
  });
}

const DRIBBLE_MS = 1000;

function dribbling(bytes: Uint8Array, clock: Clock, signal: AbortSignal): ReadableStream<Uint8Array> {
  let at = 0;
  const cancelled = new AbortController();
  signal.addEventListener('abort', () => cancelled.abort(signal.reason), { once: true });
  return new ReadableStream({
    async pull(controller) {
      if (at >= bytes.length) return controller.close();
      try {
        await sleepParked(clock, DRIBBLE_MS, cancelled.signal);
        controller.enqueue(bytes.subarray(at, at + 1));
        at += 1;
      } catch (reason) {
        controller.error(reason);
      }
    },
    cancel: () => cancelled.abort(),
  });
}

/** Never answers; ends when the client gives up. */
export async function hang(clock: Clock, signal: AbortSignal): Promise<never> {
  await sleepParked(clock, Number.POSITIVE_INFINITY, signal);
  throw new BrokenConnection();
}
