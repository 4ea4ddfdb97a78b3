import { randomUUID } from 'node:crypto';
import { Observers } from './async/observers.js';
import { authorize } from './auth/authorize.js';
import { Credentials } from './auth/credentials.js';
import { type Auth, type TokenEvents, TokenManager } from './auth/token-manager.js';
import { ownClock } from './clock.js';
import type { EndpointName } from './endpoints.js';
import { ConfigurationError } from './errors.js';
import { EventsClient } from './events/client.js';
import { HandledMarks } from './events/handled-marks.js';
import { EventPoller, type PollerParts } from './events/poller.js';
import type { PollerOptions } from './events/poller-options.js';
import { Runs } from './events/runs.js';
import { StoreLease } from './events/store-lease.js';
import type { TrafficEvents } from './http/call.js';
import { Governor } from './http/governor.js';
import { HttpClient } from './http/http-client.js';
import type { RateLimitStatus } from './http/lane.js';
import { quotaKey } from './http/quota.js';
import { NO_PATIENCE, patienceOf } from './http/slot-queue.js';
import { Transport } from './http/transport.js';
import { userAgentOf } from './http/user-agent.js';
import { MerchantClient } from './merchant/client.js';
import { optionsFromEnvironment } from './options/environment.js';
import { type HubClientOptions, resolveOptions } from './options.js';
import { Orders } from './orders.js';
import { maskingLogger } from './secrets/masking-logger.js';
import { Redactor } from './secrets/redactor.js';
import { registerClient } from './sharing.js';
import { guardState } from './state/guard.js';
import { memoryState } from './state/memory-state.js';

/** The events of `hub.on`. They never contain a secret. */
export type HubEvents = TrafficEvents & TokenEvents;

/**
 * A client for one store at one hub.
 *
 * The constructor sends nothing and starts nothing. `clientId` and
 * `clientSecret` are required for events and orders, `apiKey` for the merchant
 * document; each works without the other.
 *
 * @see Spec §4
 */
export class HubClient {
  /** Bearer tokens, obtained and renewed automatically (Spec §4.1, §5). */
  readonly auth: Auth;
  /** The store's profile and menu (Spec §4.2). */
  readonly merchant: MerchantClient;
  /** Single polls and acknowledgments (Spec §4.3, §4.4); `poller()` does both automatically. */
  readonly events: EventsClient;
  /** Orders and their status (Spec §4.5). */
  readonly orders: Orders;

  readonly #observers: Observers<HubEvents>;
  readonly #governor: Governor;
  readonly #http: HttpClient;
  readonly #pollerParts: PollerParts;
  readonly #endSharing: () => void;
  #activePoller: EventPoller | undefined;

  /** @throws {ConfigurationError} an option is missing, unknown or invalid; the message names it and the remedy. */
  constructor(options: HubClientOptions) {
    const resolved = resolveOptions(options);
    const { headers, timeoutMs, retry, rateLimit, maxResponseBytes, fetch, dispatcher } = resolved;
    const { baseUrl, basePath, tokenUrl, clientId, clientSecret, apiKey } = resolved;
    const clock = ownClock(resolved.clock);
    const address = { baseUrl, basePath, tokenUrl };
    const redactor = new Redactor();
    const credentials = new Credentials({ address, clientId, clientSecret, apiKey, headers, redactor });
    const { storeScope } = credentials;
    const logger = maskingLogger(resolved.logger, redactor);
    const givenState = resolved.state ?? memoryState();
    const state = guardState(givenState, logger);
    const observers = new Observers<HubEvents>(logger);
    const governor = new Governor({ clock, state, timeoutMs });
    const http: HttpClient = new HttpClient({
      clock,
      address,
      headers,
      timeoutMs,
      retry,
      maxResponseBytes,
      redactor,
      governor,
      transport: new Transport({ fetch, dispatcher }),
      userAgent: userAgentOf(resolved.appInfo),
      patience: rateLimit.mode === 'wait' ? patienceOf(rateLimit.maxWaitMs) : NO_PATIENCE,
      scope: (endpoint) => (endpoint === 'merchant' ? credentials.merchantScope() : storeScope),
      authorize: (endpoint, attempt) => authorize(endpoint, attempt, tokens, credentials),
      traffic: observers,
    });
    const send = http.send.bind(http);
    const throwIfClosed = http.throwIfClosed.bind(http);
    const tokens = new TokenManager({
      clock,
      state,
      credentials,
      http,
      redactor,
      emit: (name, payload) => observers.emit(name, payload as HubEvents[typeof name]),
    });

    this.auth = tokens;
    this.merchant = new MerchantClient({
      clock,
      state,
      stateKey: async () => `merchant:${await credentials.merchantScope()}`,
      logger,
      merchant: resolved.merchant,
      send,
      throwIfClosed,
    });
    this.events = new EventsClient({ send, now: () => clock.monotonic(), throwIfClosed });
    this.orders = new Orders({ send, now: () => clock.now() });
    this.#observers = observers;
    this.#governor = governor;
    this.#http = http;
    this.#pollerParts = {
      clock,
      logger,
      scrub: (text) => redactor.mask(text),
      state,
      stateKey: `events:${storeScope}`,
      events: this.events,
      runs: new Runs(),
      handledMarks: new HandledMarks({ clock, state, stateKey: `events:${storeScope}` }),
      lease: new StoreLease({ clock, state, key: quotaKey(storeScope, 'polling'), holder: randomUUID() }),
      warnedTypes: new Set(),
      isClaimed: () => this.#activePoller !== undefined,
      claim: (poller) => this.#claim(poller),
      release: (poller) => {
        if (this.#activePoller === poller) this.#activePoller = undefined;
      },
    };
    this.#endSharing = clientId === undefined ? () => {} : registerClient(storeScope, givenState, logger);
  }

  /**
   * Creates a client from `HUB_BASE_URL`, `HUB_CLIENT_ID`, `HUB_CLIENT_SECRET`
   * and `HUB_API_KEY`.
   *
   * @param overrides - options that take precedence over the environment.
   * @throws {ConfigurationError} there is no base URL, or an option is invalid.
   */
  static fromEnv(overrides: Partial<HubClientOptions> = {}): HubClient {
    return new HubClient(optionsFromEnvironment(overrides));
  }

  /** Returns how many requests are left for each endpoint (Spec §8), as far as this client knows. */
  rateLimits(): Readonly<Record<EndpointName, RateLimitStatus>> {
    return this.#governor.status();
  }

  /**
   * Creates a poller of this store's order events. Only one poller of a client runs at a time.
   *
   * @throws {ConfigurationError} an option is unknown or invalid.
   * @throws {ClosedError} the client is closed.
   */
  poller(options: Partial<PollerOptions> = {}): EventPoller {
    this.#http.throwIfClosed();
    return new EventPoller(this.#pollerParts, options);
  }

  /** Adds a listener for requests, responses and token renewals. If it throws, the error is logged. */
  on<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#observers.on(name, listener);
    return this;
  }

  /** Removes a listener. */
  off<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#observers.off(name, listener);
    return this;
  }

  /**
   * Stops the poller, aborts the calls in progress with `ClosedError`, and closes
   * the sockets. It does not close a `state` or `dispatcher` that you passed.
   */
  async close(): Promise<void> {
    this.#endSharing();
    await this.#activePoller?.stop();
    await this.#pollerParts.lease.release();
    await this.#http.close();
  }

  /** Closes the client at the end of a block: `await using hub = new HubClient(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #claim(poller: EventPoller): void {
    this.#http.throwIfClosed();
    if (this.#activePoller && this.#activePoller !== poller) {
      throw new ConfigurationError(
        'poller',
        'another poller of this client is running; stop it first. Two pollers would share one quota, ' +
          'and each would receive only some of the events',
      );
    }
    this.#activePoller = poller;
  }
}
