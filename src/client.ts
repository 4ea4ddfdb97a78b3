import { createHash, randomUUID } from 'node:crypto';
import { Observers } from './async/observers.js';
import { type Auth, type TokenEvents, TokenManager } from './auth/token-manager.js';
import { ENDPOINTS, type EndpointName } from './endpoints.js';
import { ConfigurationError } from './errors.js';
import { EventsClient } from './events/client.js';
import { EventPoller } from './events/poller.js';
import type { PollerOptions } from './events/poller-options.js';
import { Runs } from './events/runs.js';
import { StoreLease } from './events/store-lease.js';
import { Governor, quotaKey, type RateLimitStatus } from './http/governor.js';
import { type Authorization, Http, type TrafficEvents } from './http/request.js';
import { Transport } from './http/transport.js';
import { userAgentOf } from './http/user-agent.js';
import type { Logger } from './logger.js';
import { MerchantClient } from './merchant/client.js';
import { HEADER_SAFE } from './option-checks.js';
import {
  type HubClientOptions,
  optionsFromEnvironment,
  type ResolvedOptions,
  resolveOptions,
} from './options.js';
import { Orders } from './orders.js';
import { secretsIn } from './secrets/headers.js';
import { maskingLogger } from './secrets/masking-logger.js';
import { Redactor } from './secrets/redactor.js';
import type { Secret } from './secrets/secret.js';
import { announce } from './sharing.js';
import { guardState } from './state/guard.js';
import { memoryState } from './state/memory-state.js';
import type { State } from './state/port.js';

/** What `hub.on` can watch; never a secret in any of it. */
export type HubEvents = TrafficEvents & TokenEvents;

/**
 * The client of one store at one hub.
 *
 * Making one sends nothing and starts nothing. `clientId` and `clientSecret`
 * serve events and orders, `apiKey` the merchant document; each part works
 * without the other.
 *
 * @see Spec §4
 */
export class HubClient {
  /** Bearer tokens, renewed by themselves (Spec §4.1, §5). */
  readonly auth: Auth;
  /** The store's profile and menu (Spec §4.2). */
  readonly merchant: MerchantClient;
  /** Single polls and acknowledgments (Spec §4.3, §4.4); `poller()` does both by itself. */
  readonly events: EventsClient;
  /** Orders and their status (Spec §4.5). */
  readonly orders: Orders;

  readonly #options: ResolvedOptions;
  readonly #state: State;
  readonly #redactor = new Redactor();
  readonly #logger: Logger;
  readonly #observers: Observers<HubEvents>;
  readonly #governor: Governor;
  readonly #http: Http;
  readonly #withdraw: () => void;
  readonly #runs = new Runs();
  readonly #lease: StoreLease;
  readonly #warnedTypes = new Set<string>();
  #scope: string | undefined;
  #activePoller: EventPoller | undefined;

  /** @throws {ConfigurationError} an option is missing, unknown or wrong; the message names it and the remedy. */
  constructor(options: HubClientOptions) {
    const resolved = resolveOptions(options);
    this.#options = resolved;
    const { clock, timeoutMs, retry, rateLimit } = resolved;
    const logger = maskingLogger(resolved.logger, this.#redactor);
    this.#logger = logger;
    const state = resolved.state ?? memoryState();
    this.#state = guardState(state, logger);
    this.#observers = new Observers(logger);
    this.#learn(resolved.clientSecret);
    this.#learn(resolved.apiKey);
    for (const secret of secretsIn(resolved.headers)) this.#redactor.add(secret);
    this.#governor = new Governor({ clock, state: this.#state, timeoutMs });
    const waits = rateLimit.mode === 'wait';
    const tokens = new TokenManager({
      clock,
      state: this.#state,
      stateKey: `token:${this.#storeScope()}`,
      clientId: resolved.clientId,
      clientSecret: () => this.#reveal('clientSecret', resolved.clientSecret),
      send: (call) => this.#http.send(call),
      pause: (ms) => this.#http.pause(ms),
      throwIfClosed: () => this.#http.throwIfClosed(),
      learnSecret: (secret) => this.#redactor.addPassing(secret),
      tell: (name, payload) => this.#observers.emit(name, payload as HubEvents[typeof name]),
    });
    this.#http = new Http({
      clock,
      governor: this.#governor,
      transport: new Transport({ fetch: resolved.fetch, dispatcher: resolved.dispatcher }),
      redactor: this.#redactor,
      headers: resolved.headers,
      userAgent: userAgentOf(resolved.appInfo),
      timeoutMs,
      retry,
      maxResponseBytes: resolved.maxResponseBytes,
      urlOf: (endpoint, path) => this.#urlOf(endpoint, path),
      scope: (endpoint) => (endpoint === 'merchant' ? this.#merchantScope() : this.#storeScope()),
      patience: { quotaMs: waits ? rateLimit.maxWaitMs : 0, shutMs: waits ? Number.POSITIVE_INFINITY : 0 },
      authorize: (endpoint, signal) => this.#authorize(endpoint, tokens, signal),
      tell: (name, payload) => this.#observers.emit(name, payload as HubEvents[typeof name]),
    });
    const send = this.#http.send.bind(this.#http);
    const throwIfClosed = () => this.#http.throwIfClosed();
    this.auth = tokens;
    this.merchant = new MerchantClient({
      clock,
      state: this.#state,
      stateKey: async () => `merchant:${await this.#merchantScope()}`,
      logger,
      merchant: resolved.merchant,
      send,
      throwIfClosed,
    });
    this.events = new EventsClient({ send, now: () => clock.monotonic(), throwIfClosed });
    this.orders = new Orders({ send, now: () => clock.now() });
    this.#lease = new StoreLease({
      clock,
      state: this.#state,
      key: quotaKey(this.#storeScope(), 'polling'),
      holder: randomUUID(),
    });
    this.#withdraw = resolved.clientId === undefined ? () => {} : announce(this.#storeScope(), state, logger);
  }

  /**
   * A client from `HUB_BASE_URL`, `HUB_CLIENT_ID`, `HUB_CLIENT_SECRET` and
   * `HUB_API_KEY`; `overrides` win.
   *
   * @throws {ConfigurationError} there is no base URL.
   */
  static fromEnv(overrides: Partial<HubClientOptions> = {}): HubClient {
    return new HubClient(optionsFromEnvironment(overrides));
  }

  /** What is left of each endpoint's quota (Spec §8), as far as this client knows. */
  rateLimits(): Readonly<Record<EndpointName, RateLimitStatus>> {
    return this.#governor.status();
  }

  /** A poller of this store's order events; only one of a client runs at a time. */
  poller(options: Partial<PollerOptions> = {}): EventPoller {
    this.#http.throwIfClosed();
    const { clock } = this.#options;
    const logger = this.#logger;
    return new EventPoller(
      {
        clock,
        logger,
        scrub: (text) => this.#redactor.text(text),
        state: this.#state,
        stateKey: `events:${this.#storeScope()}`,
        events: this.events,
        runs: this.#runs,
        lease: this.#lease,
        warnedTypes: this.#warnedTypes,
        isClaimed: () => this.#activePoller !== undefined,
        claim: (poller) => this.#claim(poller),
        release: (poller) => {
          if (this.#activePoller === poller) this.#activePoller = undefined;
        },
      },
      options,
    );
  }

  /** Watches the client's traffic; what a listener throws goes to the logger. */
  on<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#observers.on(name, listener);
    return this;
  }

  /** Takes a listener off again. */
  off<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#observers.off(name, listener);
    return this;
  }

  /**
   * Stops the poller, ends what is under way with `ClosedError`, closes the
   * sockets. A `state` or `dispatcher` that was passed in stays open.
   */
  async close(): Promise<void> {
    this.#withdraw();
    await this.#activePoller?.stop();
    await this.#lease.release();
    await this.#http.close();
  }

  /** `await using hub = new HubClient(…)` closes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #claim(poller: EventPoller): void {
    this.#http.throwIfClosed();
    if (this.#activePoller && this.#activePoller !== poller) {
      throw new ConfigurationError(
        'poller',
        'another poller of this client runs; the hub counts them together and gives each event to either. Stop it first',
      );
    }
    this.#activePoller = poller;
  }

  async #authorize(
    endpoint: EndpointName,
    tokens: TokenManager,
    signal: AbortSignal | undefined,
  ): Promise<Authorization | undefined> {
    switch (ENDPOINTS[endpoint].auth) {
      case 'none':
        return undefined;
      case 'bearer':
        return tokens.authorize(signal);
      case 'apiKey': {
        const value = await this.#apiKey();
        return { header: ['x-api-key', value], refused: async () => (await this.#apiKey()) !== value };
      }
    }
  }

  #urlOf(endpoint: EndpointName, path: string): URL {
    const { baseUrl, basePath, tokenUrl } = this.#options;
    return new URL(endpoint === 'token' && tokenUrl !== undefined ? tokenUrl : baseUrl + basePath + path);
  }

  /** The store as the hub counts it (Spec §8), in a form that can stand in a key. */
  #storeScope(): string {
    const { clientId = '' } = this.#options;
    this.#scope ??= digest(this.#urlOf('token', ENDPOINTS.token.path).href, clientId);
    return this.#scope;
  }

  async #merchantScope(): Promise<string> {
    const { baseUrl, basePath } = this.#options;
    return digest(baseUrl + basePath, await this.#apiKey());
  }

  async #apiKey(): Promise<string> {
    const value = await this.#reveal('apiKey', this.#options.apiKey);
    if (value === undefined) {
      throw new ConfigurationError(
        'apiKey',
        'is needed for the merchant document; pass it to the HubClient, or set HUB_API_KEY for fromEnv',
      );
    }
    return value;
  }

  /** A secret's present value. */
  async #reveal(name: string, secret: Secret | undefined): Promise<string | undefined> {
    if (typeof secret !== 'function') return secret;
    const given: unknown = await secret();
    const sendable = name === 'apiKey' ? HEADER_SAFE : /^\P{Cc}+$/u;
    const value = typeof given === 'string' && sendable.test(given) ? given.trim() : '';
    if (value === '') {
      throw new ConfigurationError(name, 'the function gave no text that can be sent');
    }
    this.#redactor.addPassing(value);
    return value;
  }

  #learn(secret: Secret | undefined): void {
    if (typeof secret === 'string') this.#redactor.add(secret);
  }
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
