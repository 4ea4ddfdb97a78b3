import type { Agent } from 'undici';
import { collect, decompress, TooLarge } from './body.js';
import { AGENT_OPTIONS, type AnyDispatcher, globalDispatcher, requestOf } from './dispatchers.js';
import { type Fetch, type FetchInit, isNativeFetch } from './fetch.js';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly maxBytes: number;
  /** The bound for a status that is no success. */
  readonly maxErrorBytes: number;
}

export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  /** The body was larger than `maxBytes`; `body` is its beginning. */
  readonly cut: boolean;
}

/** Why there is no answer: the network, or whatever stands in its place. */
export class ExchangeFailure extends Error {
  readonly kind: 'network' | 'foreign';
  readonly mayHaveReachedHub: boolean;

  constructor(cause: unknown, kind: 'network' | 'foreign', mayHaveReachedHub: boolean) {
    super(describe(cause), { cause });
    this.kind = kind;
    this.mayHaveReachedHub = mayHaveReachedHub;
  }
}

export interface TransportOptions {
  readonly fetch?: Fetch | undefined;
  readonly dispatcher?: AnyDispatcher | undefined;
}

/**
 * One exchange with the hub, and the only place that knows undici and fetch.
 *
 * Precedence: the `fetch` option; a replaced global fetch; undici's request
 * over the `dispatcher` option, over a global dispatcher the application has
 * set, over an Agent of our own. Looked up at every call, because mocks come
 * and go. Never a redirect, never a cache.
 */
export class Transport {
  readonly #options: TransportOptions;
  #agent: Agent | undefined;
  #undici: typeof import('undici') | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** False while the next exchange would have to load undici first. */
  ready(): boolean {
    return this.#undici !== undefined || this.#fetch() !== undefined;
  }

  async prepare(): Promise<void> {
    this.#undici ??= await import('undici');
  }

  async exchange(request: ExchangeRequest, signal: AbortSignal): Promise<Answer> {
    const fetch = this.#fetch();
    return fetch ? this.#overFetch(fetch, request, signal) : this.#overUndici(request, signal);
  }

  /** Closes the sockets of our own Agent; what the application passed in is the application's. */
  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }

  #fetch(): Fetch | undefined {
    if (this.#options.fetch) return this.#options.fetch;
    return isNativeFetch(globalThis.fetch) ? undefined : (globalThis.fetch as Fetch);
  }

  async #overUndici(request: ExchangeRequest, signal: AbortSignal): Promise<Answer> {
    this.#undici ??= await import('undici');
    const undici = this.#undici;
    const dispatcher = this.#options.dispatcher ?? globalDispatcher() ?? this.#ownAgent(undici.Agent);
    const send = requestOf(dispatcher, undici.Dispatcher.prototype.request);
    try {
      const { statusCode, headers, body } = await send({
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: { 'accept-encoding': 'gzip, deflate, br', ...request.headers },
        body: request.body ?? null,
        signal,
        ...NO_REDIRECTS,
      });
      const header = (name: string) => joined(headers[name]);
      try {
        const chunks = await decompress(body, header('content-encoding'));
        return { status: statusCode, header, ...(await bounded(chunks, boundOf(request, statusCode))) };
      } finally {
        // Read to its end the connection is back in the pool; otherwise it is closed.
        if (!body.destroyed) body.on('error', () => {}).destroy();
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new ExchangeFailure(error, isMockMiss(error) ? 'foreign' : 'network', !isUnsent(error));
    }
  }

  async #overFetch(fetch: Fetch, request: ExchangeRequest, signal: AbortSignal): Promise<Answer> {
    try {
      const init: FetchInit & TransportOptions = {
        method: request.method,
        headers: { ...request.headers },
        redirect: 'manual',
        cache: 'no-store',
        signal,
        ...(request.body !== undefined && { body: request.body }),
        ...(this.#options.dispatcher && { dispatcher: this.#options.dispatcher }),
      };
      const response = await fetch(request.url.href, init);
      const header = (name: string) => response.headers?.get(name) ?? undefined;
      const read = response.body
        ? await bounded(
            readable(response.body as ReadableStream<Uint8Array>, signal),
            boundOf(request, response.status),
          )
        : { body: Buffer.alloc(0), cut: false };
      return { status: response.status, header, ...read };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw new ExchangeFailure(error, isNetworkFailure(error) ? 'network' : 'foreign', !isUnsent(error));
    }
  }

  #ownAgent(AgentClass: typeof Agent): Agent {
    this.#agent ??= new AgentClass(AGENT_OPTIONS);
    return this.#agent;
  }
}

const boundOf = (request: ExchangeRequest, status: number) =>
  status >= 200 && status < 300 ? request.maxBytes : request.maxErrorBytes;

async function bounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
  try {
    return { body: await collect(chunks, maxBytes), cut: false };
  } catch (error) {
    if (error instanceof TooLarge) return { body: error.head, cut: true };
    throw error;
  }
}

/** A web stream chunk by chunk; left early, or when the signal aborts, it is cancelled. */
async function* readable(body: ReadableStream<Uint8Array>, signal: AbortSignal) {
  const reader = body.getReader();
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    reader.cancel().catch(() => {});
  }
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Heeded by undici's redirect interceptor, which an application may have composed into its dispatcher. */
const NO_REDIRECTS = { maxRedirections: 0 };

/** Codes of failures before a single byte of the request could have been read. */
const UNSENT_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_MOCK_ERR_MOCK_NOT_MATCHED',
]);

/** Certificates that were not accepted and handshakes that failed; alerts after the handshake are not among them. */
const UNSENT_TLS_CODE =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_SSL_(?:WRONG_VERSION_NUMBER|SSLV3_ALERT_HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE))/;

/** Refused, no such name, no connection in time, no TLS: the hub never saw it. */
function isUnsent(error: unknown): boolean {
  return causes(error).some(({ code, message }) => {
    if (code === undefined) return false;
    return (
      UNSENT_CODES.has(code) ||
      UNSENT_TLS_CODE.test(code) ||
      /before secure TLS connection was established/.test(message)
    );
  });
}

function isMockMiss(error: unknown): boolean {
  return causes(error).some(({ code }) => code === 'UND_MOCK_ERR_MOCK_NOT_MATCHED');
}

/** Failures of undici's that carry no code: the connection ended, or what came over it is no HTTP. */
const UNCODED = new Set(['SocketError', 'HTTPParserError']);

/** fetch reports the network as a TypeError with a cause; an error of the mock's own looks otherwise. */
function isNetworkFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TypeError' || isMockMiss(error)) return false;
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return false;
  if (Reflect.get(cause, 'type') === 'error') return true; // MSW's HttpResponse.error()
  return typeof Reflect.get(cause, 'code') === 'string' || UNCODED.has(String(Reflect.get(cause, 'name')));
}

function causes(error: unknown): { code: string | undefined; message: string }[] {
  const found: { code: string | undefined; message: string }[] = [];
  let next: unknown = error;
  for (let depth = 0; depth < 5 && typeof next === 'object' && next !== null; depth += 1) {
    const code: unknown = Reflect.get(next, 'code');
    const message: unknown = Reflect.get(next, 'message');
    found.push({
      code: typeof code === 'string' ? code : undefined,
      message: typeof message === 'string' ? message : '',
    });
    // A dual-stack connection attempt fails with one error for each address.
    const several: unknown = Reflect.get(next, 'errors');
    next = Array.isArray(several) && several.length > 0 ? several[0] : Reflect.get(next, 'cause');
  }
  return found;
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : '';
  return `${cause.message || causes(cause).find(({ code }) => code)?.code || cause.name}${inner}`;
}
