import type { Agent } from 'undici';
import { abandonOnAbort } from '../async/promises.js';
import { ConfigurationError } from '../errors/index.js';
import type { GetHeader } from '../quota/headers.js';
import { collectStream, decompress, maxBytesOf, unreadBody } from './body.js';
import type { Target } from './exchange.js';
import { ExchangeFailure } from './failure.js';
import { type Fetch, isNativeFetch, overFetch } from './fetch.js';
import { Places } from './places.js';
import {
  type AnyDispatcher,
  connectFailures,
  dispatcherOf,
  GLOBAL_DISPATCHER,
  LEGACY_DISPATCHER,
  loadUndici,
  newAgent,
  type OwnAgent,
  requestMethodOf,
  sharedAgent,
  type Undici,
} from './undici.js';

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Limit of a 2xx body. */
  readonly maxBytes: number;
}

export interface RawResponse {
  readonly status: number;
  readonly header: GetHeader;
  readonly body: Buffer;
  /** The body was larger than its limit; `body` is its beginning. */
  readonly cut: boolean;
}

export interface TransportOptions {
  readonly fetch?: Fetch | undefined;
  readonly dispatcher?: AnyDispatcher | undefined;
  /** More exchanges than these wait. Default: any number. */
  readonly requestsInFlight?: number | undefined;
}

/** What an exchange goes through; undefined: an Agent of our own. */
type Route = { readonly fetch: Fetch } | { readonly dispatcher: AnyDispatcher } | undefined;

/**
 * Exchanges one request for one response, through undici or a fetch.
 *
 * Order of precedence: the `fetch` option; a replaced global fetch; undici's
 * request over the `dispatcher` option, over a global dispatcher that the
 * application has set, over an Agent of our own. The globals are looked at for every
 * request, because mocks come and go. Redirects are never followed, and
 * responses never come from a cache.
 */
export class Transport {
  /** Every exchange takes a place, and leaves it. Undefined if any number may be in flight. */
  readonly inFlight: Places | undefined;
  /** Whether the last exchange went through our own Agent, which keeps no listener of a signal. */
  isOwnAgent = false;
  readonly #options: TransportOptions;
  /** By origin. */
  #own: Map<string, OwnAgent> | undefined;
  /** Null: the platform has none, and its fetch is used. */
  #undici: Undici | null | undefined;
  /** The globals for which there is no other route than our own Agent. */
  #ownAgentFor: { readonly fetch: unknown; readonly current: unknown; readonly legacy: unknown } | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.inFlight = options.requestsInFlight === undefined ? undefined : new Places(options.requestsInFlight);
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

  /** @throws {ExchangeFailure} there is no response; or the signal's reason, if it aborts. */
  exchange(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
    const route = this.#route();
    let exchanged: Promise<RawResponse>;
    if (route && 'fetch' in route) {
      exchanged = overFetch(route.fetch, this.#options.dispatcher, request, signal);
    } else if (route) exchanged = this.#overDispatcher(route.dispatcher, request, signal);
    else {
      const own = this.#own?.get(request.target.origin);
      exchanged = own ? overUndici(own.agent, request, signal) : this.#overNewAgent(request, signal);
    }
    // The signal alone is not enough: a fetch of the application may ignore it, and undici does while it connects.
    return abandonOnAbort(exchanged, signal);
  }

  /** Closes the sockets that no other client of the process uses. A dispatcher of the application stays open. */
  async close(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await Promise.all(Array.from(own?.values() ?? [], ({ close }) => close()));
  }

  #route(): Route {
    const seen = this.#ownAgentFor;
    const current: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
    const legacy: unknown = Reflect.get(globalThis, LEGACY_DISPATCHER);
    const isSame = seen?.fetch === globalThis.fetch && seen?.current === current && seen?.legacy === legacy;
    if (seen && isSame) return undefined;
    this.#ownAgentFor = undefined;
    this.isOwnAgent = false;
    const fetch = this.#fetch();
    if (fetch) return { fetch };
    const dispatcher = this.#options.dispatcher ?? dispatcherOf(current, legacy);
    if (dispatcher) return { dispatcher };
    this.#ownAgentFor = { fetch: globalThis.fetch, current, legacy };
    this.isOwnAgent = true;
    return undefined;
  }

  #fetch(): Fetch | undefined {
    if (this.#options.fetch) return this.#options.fetch;
    const useUndici = this.#undici !== null && isNativeFetch(globalThis.fetch);
    return useUndici ? undefined : (globalThis.fetch as Fetch);
  }

  async #overNewAgent(request: RawRequest, signal: AbortSignal): Promise<RawResponse> {
    const undici = await this.#loaded();
    // Meanwhile, another request may have made it, or the client may have been closed.
    signal.throwIfAborted();
    const { requestsInFlight } = this.#options;
    const { origin } = request.target;
    this.#own ??= new Map();
    let own = this.#own.get(origin);
    own ??=
      requestsInFlight === undefined ? sharedAgent(undici, origin, this) : newAgent(undici, requestsInFlight);
    this.#own.set(origin, own);
    return overUndici(own.agent, request, signal);
  }

  async #overDispatcher(
    dispatcher: AnyDispatcher,
    request: RawRequest,
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const send = requestMethodOf(dispatcher, (await this.#loaded()).Dispatcher.prototype.request);
    return overUndici({ request: send }, request, signal);
  }

  async #loaded(): Promise<Undici> {
    await this.prepare();
    if (!this.#undici)
      throw new ConfigurationError('fetch', 'is required: this platform has no global fetch');
    return this.#undici;
  }
}

/** Bun and Deno have no undici of their own; Workers name one, and are known by a class that only they have. */
const isNode = () => process.versions?.undici !== undefined && !('WebSocketPair' in globalThis);

type Init = Parameters<Agent['request']>[0];

/** Sends over undici, and reads the whole response, or the beginning of one that is too large. */
async function overUndici(
  dispatcher: Pick<Agent, 'request'>,
  request: RawRequest,
  signal: AbortSignal,
): Promise<RawResponse> {
  const { target, method, headers, body = null } = request;
  const init = {
    origin: target.origin,
    path: target.path,
    method,
    // For undici's cache interceptor, as `maxRedirections` is for its redirect interceptor: an application may have composed them.
    headers: { 'accept-encoding': 'gzip, deflate, br', 'cache-control': 'no-store', ...headers },
    body,
    signal,
    maxRedirections: 0,
  } as Init;
  try {
    const response = await dispatcher.request(init);
    // A reset that comes before its reader must not end the process.
    response.body.on('error', () => {});
    const status = response.statusCode;
    const header = (name: string) => {
      const value = response.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
    try {
      const encoding = header('content-encoding');
      const chunks = encoding ? await decompress(response.body, encoding) : response.body;
      return { status, header, ...(await collectStream(chunks, maxBytesOf(request, status))) };
    } catch (error) {
      return { status, header, ...unreadBody(error, status) };
    } finally {
      // A connection whose body was read to the end is back in the pool by now; any other is closed.
      if (!response.body.destroyed) response.body.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw ExchangeFailure.ofDispatcher(error, connectFailures.has(error as object));
  }
}
