import type { Auth } from './auth/auth.js';
import type { EndpointName } from './endpoints.js';
import type { EventsClient } from './events/client.js';
import { EventPoller } from './events/poller.js';
import type { PollerOptions } from './events/poller-options.js';
import type { RateLimitStatus } from './http/lane.js';
import type { MerchantClient } from './merchant/client.js';
import { optionsFromEnvironment } from './options/environment.js';
import { type HubClientOptions, resolveOptions } from './options.js';
import type { Orders } from './orders.js';
import { registerClient } from './sharing.js';
import { type HubEvents, sharedOf, Wiring } from './wiring.js';

export type { HubEvents };

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

  readonly #wiring: Wiring;
  readonly #endSharing: () => void;

  /** @throws {ConfigurationError} an option is missing, unknown or invalid; the message names it and the remedy. */
  constructor(options: HubClientOptions) {
    const wiring = options instanceof Wiring ? options : wiringOf(options);
    this.auth = wiring.tokens;
    this.merchant = wiring.merchant();
    this.events = wiring.events;
    this.orders = wiring.orders();
    this.#wiring = wiring;
    const { credentials, shared, logger } = wiring;
    // The clients of a fleet share its state.
    this.#endSharing =
      credentials.hasClientId && !shared.isFleet
        ? registerClient(credentials.storeScope, shared.givenState, logger)
        : () => {};
  }

  /**
   * Creates a client from `HUB_BASE_URL`, `HUB_BASE_PATH`, `HUB_CLIENT_ID`,
   * `HUB_CLIENT_SECRET` and `HUB_API_KEY`.
   *
   * @param overrides - options that take precedence over the environment.
   * @throws {ConfigurationError} there is no base URL, or an option is invalid.
   */
  static fromEnv(overrides: Partial<HubClientOptions> = {}): HubClient {
    return new HubClient(optionsFromEnvironment(overrides));
  }

  /** Returns how many requests are left for each endpoint (Spec §8), as far as this client knows. */
  rateLimits(): Readonly<Record<EndpointName, RateLimitStatus>> {
    return this.#wiring.governor.status();
  }

  /**
   * Creates a poller of this store's order events. Only one poller of a client runs at a time.
   *
   * @throws {ConfigurationError} an option is unknown or invalid.
   * @throws {ClosedError} the client is closed.
   */
  poller(options: Partial<PollerOptions> = {}): EventPoller {
    this.#wiring.http.throwIfClosed();
    return new EventPoller(this.#wiring.pollerParts, options, this);
  }

  /** Adds a listener for requests, responses and token renewals. If it throws, the error is logged. */
  on<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#wiring.observers.on(name, listener);
    return this;
  }

  /** Removes a listener. */
  off<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#wiring.observers.off(name, listener);
    return this;
  }

  /**
   * Stops the poller, aborts the calls in progress with `ClosedError`, and closes
   * the sockets. It does not close a `state` or `dispatcher` that you passed.
   */
  async close(): Promise<void> {
    this.#endSharing();
    await this.#wiring.pollerParts.claim.owner?.stop();
    await this.#wiring.lease.release();
    await this.#wiring.http.close();
    await this.#wiring.governor.settled();
  }

  /** Closes the client at the end of a block: `await using hub = new HubClient(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** @throws {ConfigurationError} an option is missing, unknown or invalid. */
function wiringOf(given: HubClientOptions): Wiring {
  const { clientId, clientSecret, apiKey, ...options } = resolveOptions(given);
  return new Wiring(sharedOf(options), { clientId, clientSecret, apiKey });
}

/** The client of a store that is wired already. */
export function clientOver(wiring: Wiring): HubClient {
  return new HubClient(wiring as unknown as HubClientOptions);
}
