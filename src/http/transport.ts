import type { Agent } from 'undici';
import { chunksOf, collectHead, decompress } from './body.js';
import { AGENT_OPTIONS, type AnyDispatcher, globalDispatcher, requestOf } from './dispatchers.js';
import { ExchangeFailure } from './exchange-failure.js';
import { type Fetch, type FetchInit, isNativeFetch } from './fetch.js';
import type { GetHeader } from './retry-after.js';
import { loadUndici, type Undici } from './undici.js';

export interface RawRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Limit of a 2xx body. */
  readonly maxBytes: number;
  /** Limit of any other body. */
  readonly maxErrorBytes: number;
}

export interface RawResponse {
  readonly status: number;
  readonly header: GetHeader;
  readonly body: Uint8Array;
  /** The body was larger than its limit; `body` is its beginning. */
  readonly cut: boolean;
}

export interface TransportOptions {
  readonly fetch?: Fetch | undefined;
  readonly dispatcher?: AnyDispatcher | undefined;
}

/**
 * Exchanges one request for one response, through undici or a fetch.
 *
 * Order of precedence: the `fetch` option; a replaced global fetch; undici's
 * request over the `dispatcher` option, over a global dispatcher that the
 * application has set, over an Agent of our own. It is looked up for every
 * request, because mocks come and go. Redirects are never followed, and
 * responses never come from a cache.
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

  /** False if the next exchange would have to load undici first. */
  isReady(): boolean {
    return this.#undici !== undefined || this.#fetch() !== undefined;
  }

  /** @throws {ConfigurationError} undici cannot be loaded. */
  async prepare(): Promise<void> {
    this.#undici ??= await loadUndici();
  }

  /** @throws {ExchangeFailure} there is no response; or the signal's reason, if it aborts. */
  exchange(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
    const fetch = this.#fetch();
    return fetch ? this.#overFetch(fetch, request, signal) : this.#overUndici(request, signal);
  }

  /** Closes the sockets of our own Agent. A dispatcher of the application stays open. */
  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }

  #fetch(): Fetch | undefined {
    if (this.#options.fetch) return this.#options.fetch;
    return isNativeFetch(globalThis.fetch) ? undefined : (globalThis.fetch as Fetch);
  }

  async #overUndici(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
    this.#undici ??= await loadUndici();
    const dispatcher = this.#options.dispatcher ?? globalDispatcher() ?? this.#ownAgent(this.#undici);
    const send = requestOf(dispatcher, this.#undici.Dispatcher.prototype.request);
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
        return {
          status: statusCode,
          header,
          ...(await collectHead(chunks, maxBytesOf(request, statusCode))),
        };
      } finally {
        // A connection whose body was read to the end is back in the pool by now; any other is closed.
        if (!body.destroyed) body.on('error', () => {}).destroy();
      }
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw ExchangeFailure.ofDispatcher(error, this.#connectFailures.has(error as object));
    }
  }

  async #overFetch(fetch: Fetch, request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
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
      const { status } = response;
      const header = (name: string) => response.headers?.get(name) ?? undefined;
      if (!response.body) return { status, header, body: Buffer.alloc(0), cut: false };
      const chunks = chunksOf(response.body as ReadableStream<Uint8Array>, signal);
      return { status, header, ...(await collectHead(chunks, maxBytesOf(request, status))) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw ExchangeFailure.ofFetch(error);
    }
  }

  #ownAgent(undici: Undici): Agent {
    if (this.#agent) return this.#agent;
    const connector = undici.buildConnector({});
    this.#agent = new undici.Agent({
      ...AGENT_OPTIONS,
      connect: (options, callback) =>
        connector(options, (...result) => {
          // A reset during the TLS handshake looks like a failed read; only the connector can distinguish them.
          if (result[0]) this.#connectFailures.add(result[0]);
          callback(...result);
        }),
    });
    return this.#agent;
  }
}

const maxBytesOf = (request: RawRequest, status: number) =>
  status >= 200 && status < 300 ? request.maxBytes : request.maxErrorBytes;

const joined = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value);

/** For undici's redirect interceptor, which an application may have composed into its dispatcher. */
const NO_REDIRECTS = { maxRedirections: 0 };
