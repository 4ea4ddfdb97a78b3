import type { Agent } from 'undici';
import { abandonOnAbort } from '../async/abort.js';
import { Limit } from '../async/limit.js';
import { ConfigurationError } from '../errors.js';
import { chunksOf, collect, collectStream, decompress } from './body.js';
import { AGENT_OPTIONS, type AnyDispatcher, globalDispatcher, requestOf } from './dispatchers.js';
import type { Target } from './endpoint-url.js';
import { ExchangeFailure } from './exchange-failure.js';
import { type Fetch, type FetchInit, isNativeFetch } from './fetch.js';
import type { GetHeader } from './retry-after.js';
import { loadUndici, type Undici } from './undici.js';

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly target: Target;
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
  /** More exchanges than these wait, first come first served. Default: any number. */
  readonly requestsInFlight?: number | undefined;
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
  readonly #limit: Limit | undefined;
  /** Null: the platform has none, and its fetch is used. */
  #undici: Undici | null | undefined;
  /** Errors of connections that were never opened. */
  readonly #connectFailures = new WeakSet<object>();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#limit = options.requestsInFlight === undefined ? undefined : new Limit(options.requestsInFlight);
    // Any other fetch ignores a dispatcher, and the requests would go past the proxy.
    if (options.dispatcher && !options.fetch && !isNode()) {
      throw new ConfigurationError('dispatcher', 'works on Node.js only; pass a `fetch` instead');
    }
  }

  /** False if the next exchange would have to load undici first. */
  isReady(): boolean {
    return this.#undici !== undefined || this.#fetch() !== undefined;
  }

  /** @throws {ConfigurationError} undici cannot be loaded. */
  async prepare(): Promise<void> {
    if (this.#undici === undefined) this.#undici = await loadUndici();
  }

  /**
   * A place among the requests in flight: at once, or when it is this caller's
   * turn. `leave` must follow.
   */
  enter(signal: AbortSignal): Promise<void> | undefined {
    return this.#limit?.enter(signal);
  }

  leave(): void {
    this.#limit?.leave();
  }

  /** @throws {ExchangeFailure} there is no response; or the signal's reason, if it aborts. */
  exchange(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
    const fetch = this.#fetch();
    const foreign = fetch ? undefined : (this.#options.dispatcher ?? globalDispatcher());
    if (!fetch && !foreign) return this.#overAgent(request, signal);
    // The signal alone is not enough: a fetch or a dispatcher of the application may ignore it.
    if (fetch) return abandonOnAbort(this.#overFetch(fetch, request, signal), signal);
    return abandonOnAbort(this.#overDispatcher(foreign as AnyDispatcher, request, signal), signal);
  }

  /** Closes the sockets of our own Agent. A dispatcher of the application stays open. */
  async close(): Promise<void> {
    const agent = this.#agent;
    this.#agent = undefined;
    await agent?.destroy();
  }

  #fetch(): Fetch | undefined {
    if (this.#options.fetch) return this.#options.fetch;
    const useUndici = this.#undici !== null && isNativeFetch(globalThis.fetch);
    return useUndici ? undefined : (globalThis.fetch as Fetch);
  }

  async #overAgent(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
    const undici = this.#agent ? undefined : await this.#loaded();
    // Another request may have made it meanwhile.
    const agent = this.#agent ?? this.#newAgent(undici as Undici);
    try {
      return await received(request, await agent.request(initOf(request, signal)));
    } catch (error) {
      signal.throwIfAborted();
      throw ExchangeFailure.ofDispatcher(error, this.#connectFailures.has(error as object));
    }
  }

  async #overDispatcher(
    dispatcher: AnyDispatcher,
    request: RawRequest,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const send = requestOf(dispatcher, (await this.#loaded()).Dispatcher.prototype.request);
    try {
      return await received(request, await send(initOf(request, signal)));
    } catch (error) {
      signal.throwIfAborted();
      throw ExchangeFailure.ofDispatcher(error, false);
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
      const response = await fetch(request.target.href, init);
      if (typeof response?.status !== 'number') {
        throw new TypeError('the fetch in use did not resolve to a Response');
      }
      const { status } = response;
      const header = (name: string) => response.headers?.get(name) ?? undefined;
      if (!response.body) return { status, header, body: Buffer.alloc(0), cut: false };
      const chunks = chunksOf(response.body as ReadableStream<Uint8Array>, signal);
      return { status, header, ...(await collect(chunks, maxBytesOf(request, status))) };
    } catch (error) {
      signal.throwIfAborted();
      throw ExchangeFailure.ofFetch(error);
    }
  }

  async #loaded(): Promise<Undici> {
    await this.prepare();
    if (!this.#undici)
      throw new ConfigurationError('fetch', 'is required: this platform has no global fetch');
    return this.#undici;
  }

  #newAgent(undici: Undici): Agent {
    const connector = undici.buildConnector({});
    this.#agent = new undici.Agent({
      ...AGENT_OPTIONS,
      connections: this.#options.requestsInFlight ?? AGENT_OPTIONS.connections,
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

/** Bun and Deno have no undici of their own; Workers name one, and are known by a class that only they have. */
const isNode = () => process.versions?.undici !== undefined && !('WebSocketPair' in globalThis);

const maxBytesOf = (request: RawRequest, status: number) =>
  status >= 200 && status < 300 ? request.maxBytes : request.maxErrorBytes;

const joined = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value);

type Init = Parameters<Agent['request']>[0];
type Response = Awaited<ReturnType<Agent['request']>>;

function initOf({ target, method, headers, body }: RawRequest, signal: AbortSignal): Init {
  return {
    origin: target.origin,
    path: target.path,
    method,
    headers: withEncodings(headers),
    body: body ?? null,
    signal,
    // For undici's redirect interceptor, which an application may have composed into its dispatcher.
    maxRedirections: 0,
  } as Init;
}

const withEncodingsOf = new WeakMap<RawRequest['headers'], Record<string, string>>();

/** The headers of most requests are those of an earlier one. */
function withEncodings(headers: RawRequest['headers']): Record<string, string> {
  let all = withEncodingsOf.get(headers);
  if (!all) {
    all = { 'accept-encoding': 'gzip, deflate, br', ...headers };
    withEncodingsOf.set(headers, all);
  }
  return all;
}

/** Reads the whole response, or the beginning of one that is too large. */
async function received(request: RawRequest, { statusCode, headers, body }: Response): Promise<RawResponse> {
  const header = (name: string) => joined(headers[name]);
  try {
    const encoding = header('content-encoding');
    const chunks = encoding ? await decompress(body, encoding) : body;
    const { body: bytes, cut } = await collectStream(chunks, maxBytesOf(request, statusCode));
    return { status: statusCode, header, body: bytes, cut };
  } finally {
    // A connection whose body was read to the end is back in the pool by now; any other is closed.
    if (!body.destroyed) body.on('error', () => {}).destroy();
  }
}
