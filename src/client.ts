import { Lifetime } from './async/promises.js';
import type { HubEvents } from './auth/account.js';
import { AccountAuth, type Auth } from './auth/auth.js';
import { type PollerOptions, resolvePollerOptions, resolveStopTimeoutMs } from './engine/options.js';
import { EventPoller } from './engine/poller.js';
import type { InboxContext, StopReport } from './engine/reports.js';
import { acknowledgmentsOf } from './engine/settle.js';
import { closeStore } from './engine/stop.js';
import { Store } from './engine/store.js';
import { EventsClient } from './events/client.js';
import type { Call } from './http/call.js';
import type { EndpointName } from './hub/endpoints.js';
import { minIntervalMsOf } from './hub/host-endpoints.js';
import type { Inbox } from './inbox/inbox.js';
import { linkIssues } from './menu/lint.js';
import { MerchantClient } from './merchant/client.js';
import { type HubClientOptions, resolveOptions } from './options/client-options.js';
import { optionsFromEnvironment } from './options/environment.js';
import { Orders } from './orders/orders.js';
import type { RateLimitStatus } from './quota/window.js';
import { Services } from './services/services.js';
import { registerClient } from './services/sharing.js';

/** The content of this many confirmed ids is kept, to detect that a hub uses an id again. */
const REMEMBERED_IDS = 1000;

/** A client over services and a store that exist already: that of a fleet's store. */
interface Door {
  readonly services: Services;
  readonly store: Store;
}

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
  /** Single polls and acknowledgments (Spec §4.3, §4.4); `poller()` does both automatically. */
  readonly events: EventsClient;
  /** Orders and their status (Spec §4.5). */
  readonly orders: Orders;

  readonly #services: Services;
  readonly #store: Store;
  readonly #lifetime: Lifetime;
  #merchant: MerchantClient | undefined;
  #endSharing: (() => void) | undefined;

  /** @throws {ConfigurationError} an option is missing, unknown or invalid; the message names it and the remedy. */
  constructor(options: HubClientOptions) {
    const { services, store } = isDoor(options) ? options : doorOf(options);
    const { account } = store;
    // Closing the client of one store leaves the polling of its fleet alone.
    const lifetime = services.isFleet ? new Lifetime() : services.lifetime;
    const send = <T>(call: Call<T>) => services.send(account, call, lifetime);
    this.#services = services;
    this.#store = store;
    this.#lifetime = lifetime;
    this.auth = new AccountAuth(services.tokens, account, lifetime);
    this.events = new EventsClient({
      services,
      account,
      lifetime,
      acknowledgments: () => acknowledgmentsOf({ services }, store),
    });
    this.orders = new Orders({
      send,
      now: () => services.clock.now(),
      quote: (text) => account.quote(text),
    });
    // The clients of a fleet share its state.
    if (account.clientId !== undefined && !services.isFleet) {
      this.#endSharing = registerClient(account.scope, services.givenState, account.logger);
    }
  }

  /** The store's profile and menu (Spec §4.2). */
  get merchant(): MerchantClient {
    this.#merchant ??= this.#newMerchant();
    return this.#merchant;
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
    return this.#services.quotas.status(this.#store.account);
  }

  /**
   * Creates a poller of this store's order events. Only one poller of a client runs at a time.
   *
   * @throws {ConfigurationError} an option is unknown or invalid.
   * @throws {ClosedError} the client is closed.
   */
  poller<Tx>(options: PollerOptions<Tx> & { readonly inbox: Inbox<Tx> }): EventPoller<InboxContext<Tx>>;
  poller(options?: PollerOptions): EventPoller;
  poller(options: PollerOptions = {}): EventPoller {
    this.#lifetime.throwIfClosed();
    const resolved = resolvePollerOptions(options, minIntervalMsOf(this.#services.endpoints));
    return new EventPoller(this.#services, this.#store, resolved, this);
  }

  /**
   * Adds a listener for requests, responses and token renewals. If it throws, the error is logged.
   *
   * @throws {ConfigurationError} there is no such event, or the listener is not a function.
   */
  on<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#store.account.observe().on(name, listener);
    return this;
  }

  /** Removes a listener. */
  off<Name extends keyof HubEvents>(name: Name, listener: (event: HubEvents[Name]) => unknown): this {
    this.#store.account.observers?.off(name, listener);
    return this;
  }

  /**
   * Stops the poller, aborts the calls in progress with `ClosedError`, and closes
   * the sockets; the clients of a process share them, and the last one closes them. It does not close a
   * `state` or `dispatcher` that you passed. The store's lease ends at the latest when the time is over,
   * also if listeners still run.
   *
   * The client of a fleet's store ends its own calls only: the fleet polls on.
   *
   * @param options - `timeoutMs`: how long it waits for listeners, default 30 000.
   * @returns the report of the poller; empty if none was running.
   */
  async close(options?: { readonly timeoutMs?: number | undefined }): Promise<StopReport[]> {
    const timeoutMs = resolveStopTimeoutMs(options);
    const { isFleet, quotas, transport } = this.#services;
    this.#endSharing?.();
    // The store of a fleet is polled by the fleet.
    const reports = isFleet ? [] : await closeStore(this.#store, timeoutMs);
    await this.#lifetime.close(async () => {
      if (!isFleet) await transport.close();
    });
    await quotas.settled();
    if (this.#store.hub === this) this.#store.hub = undefined;
    return reports;
  }

  /** Closes the client at the end of a block: `await using hub = new HubClient(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #newMerchant(): MerchantClient {
    const { clock, credentials, options, state } = this.#services;
    return new MerchantClient({
      clock,
      state,
      stateKey: async () => `merchant:${(await credentials.ofMerchant(this.#store.account)).scope}`,
      logger: this.#store.account.logger,
      merchant: options.merchant,
      linkIssues,
      maxBytes: options.maxResponseBytes.merchant,
      send: (call) => this.#services.send(this.#store.account, call, this.#lifetime),
      lifetime: this.#lifetime,
    });
  }
}

/** @throws {ConfigurationError} an option is missing, unknown or invalid. */
function doorOf(given: HubClientOptions): Door {
  const { clientId, clientSecret, apiKey, ...options } = resolveOptions(given);
  const services = new Services(options);
  return {
    services,
    store: new Store(services.accountOf({ clientId, clientSecret, apiKey }), REMEMBERED_IDS),
  };
}

const isDoor = (options: object | undefined): options is Door =>
  (options as Partial<Door> | undefined)?.services instanceof Services;

/** The client of a store that exists already. It is made when a listener or the application first asks for it. */
export function clientOf(services: Services, store: Store): HubClient {
  const door: Door = { services, store };
  store.hub ??= new HubClient(door as unknown as HubClientOptions);
  return store.hub;
}
