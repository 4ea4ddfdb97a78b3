import type { Agent } from 'undici';
import { ConfigurationError } from '../errors.js';
import { collect, decompress, TooLarge } from './body.js';
import { AGENT_OPTIONS, type AnyDispatcher, globalDispatcher, requestOf } from './dispatchers.js';
import { ExchangeFailure } from './exchange-failure.js';
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

export interface HubResponse {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  /** The body was larger than `maxBytes`; `body` is its beginning. */
  readonly cut: boolean;
}

type Undici = typeof import('undici');

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
  #undici: Undici | undefined;
  /** Errors of connections that were never opened. */
  readonly #connectFailures = new WeakSet<object>();

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** False while the next exchange would have to load undici first. */
  ready(): boolean {
    return this.#undici !== undefined || this.#fetch() !== undefined;
  }

  /** @throws {ConfigurationError} undici cannot be loaded. */
  async prepare(): Promise<void> {
    await this.#load();
  }

  async exchange(request: ExchangeRequest, signal: AbortSignal): Promise<HubResponse> {
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

  async #overUndici(request: ExchangeRequest, signal: AbortSignal): Promise<HubResponse> {
    const undici = await this.#load();
    const dispatcher = this.#options.dispatcher ?? globalDispatcher() ?? this.#ownAgent(undici);
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
      throw ExchangeFailure.ofDispatcher(error, this.#connectFailures.has(error as object));
    }
  }

  async #overFetch(fetch: Fetch, request: ExchangeRequest, signal: AbortSignal): Promise<HubResponse> {
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
      if (typeof response?.status !== 'number') {
        throw new TypeError('the fetch in use did not resolve to a Response');
      }
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
      throw ExchangeFailure.ofFetch(error);
    }
  }

  async #load(): Promise<Undici> {
    try {
      this.#undici ??= whole(await import('undici'));
      return this.#undici;
    } catch (cause) {
      throw notLoaded(cause);
    }
  }

  #ownAgent(undici: Undici): Agent {
    if (this.#agent) return this.#agent;
    const connector = undici.buildConnector({});
    this.#agent = new undici.Agent({
      ...AGENT_OPTIONS,
      connect: (options, callback) =>
        connector(options, (...result) => {
          // A handshake that is reset fails as a read does; only the connector knows when.
          if (result[0]) this.#connectFailures.add(result[0]);
          callback(...result);
        }),
    });
    return this.#agent;
  }
}

/** A bundler's loader that has failed once may give the half of the module that it had got to. */
function whole(undici: Undici): Undici {
  if (typeof undici.Agent !== 'function' || typeof undici.Dispatcher !== 'function') {
    throw new Error('only a part of it was loaded');
  }
  return undici;
}

function notLoaded(cause: unknown): ConfigurationError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new ConfigurationError(
    'undici',
    `could not be loaded: ${message}; where a bundler put it into an ES module, give the bundle ` +
      'a createRequire banner or leave undici out of it (docs/running-in-production.md, "Bundling")',
    { cause },
  );
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
