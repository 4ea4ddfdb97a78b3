import { randomBytes } from 'node:crypto';
import { Lifetime } from '../async/promises.js';
import { Account, type AccountCredentials, type AccountParts } from '../auth/account.js';
import { Credentials } from '../auth/request.js';
import { Tokens } from '../auth/tokens.js';
import type { Call } from '../http/call.js';
import { HttpClient } from '../http/client.js';
import { Targets } from '../http/exchange.js';
import { userAgentOf } from '../http/request.js';
import { Transport } from '../http/transport.js';
import { type EndpointTable, endpointsOf, meaningsOf, withOwnPollingLimit } from '../hub/host-endpoints.js';
import type { CommonOptions } from '../options/client-options.js';
import { Quotas } from '../quota/quotas.js';
import { NO_PATIENCE } from '../quota/request.js';
import { guardState } from '../state/guard.js';
import { memoryState } from '../state/memory-state.js';
import type { State } from '../state/port.js';
import type { Clock } from '../time/clock.js';

/** What is made once for a `HubClient` or a `HubFleet`. Everything about a store is in its `Account`. */
export class Services {
  readonly options: CommonOptions;
  /** The hub's endpoints, as its profile says. */
  readonly endpoints: EndpointTable;
  readonly clock: Clock;
  /** As the application passed it. */
  readonly givenState: State;
  readonly state: State;
  /** See `PollerHealth.stateDriver`. */
  readonly stateDriver: string | undefined;
  readonly transport: Transport;
  readonly isFleet: boolean;
  /** Identifies the clients among all that share the state. */
  readonly holder = randomBytes(16).toString('hex');
  readonly lifetime = new Lifetime();
  readonly tokens: Tokens;
  readonly quotas: Quotas;
  readonly #http: HttpClient;
  readonly credentials: Credentials;
  readonly #accountParts: AccountParts;
  readonly #warnedAbout = new Set<string>();

  /** @param requestsInFlight - of all stores of a fleet together; undefined: as many as there are calls. */
  constructor(options: CommonOptions, requestsInFlight?: number) {
    const { appInfo, baseUrl, basePath, clock, dispatcher, fetch, headers, logger, profile } = options;
    const { maxResponseBytes, rateLimit, retry, timeoutMs, tokenUrl } = options;
    const endpoints = withOwnPollingLimit(endpointsOf(profile));
    const targets = new Targets({ baseUrl, basePath, endpoints, urls: tokenUrl ? { token: tokenUrl } : {} });
    const givenState = options.state ?? memoryState();
    const state = options.state ? guardState(options.state, logger) : givenState;
    const { lifetime } = this;
    if (profile.requiresSignature && !profile.sign) {
      const host = profile.name ?? 'the host';
      logger.warn(
        `opendelivery-client: ${host} requires a signature on every request; add a function \`sign\` to the profile`,
      );
    }
    this.options = options;
    this.endpoints = endpoints;
    this.clock = clock;
    this.givenState = givenState;
    this.state = state;
    this.stateDriver = driverOf(givenState);
    if (this.stateDriver) logger.debug(`opendelivery-client: fileState uses ${this.stateDriver}`, {});
    this.transport = new Transport({ fetch, dispatcher, requestsInFlight });
    this.isFleet = requestsInFlight !== undefined;
    this.quotas = new Quotas({ endpoints, clock, state });
    this.#accountParts = { targets, headers, logger };
    this.credentials = new Credentials({ clock, timeoutMs });
    const patience =
      rateLimit.mode === 'wait'
        ? { quotaMs: rateLimit.maxWaitMs, shutMs: Number.POSITIVE_INFINITY }
        : NO_PATIENCE;
    this.#http = new HttpClient({
      clock,
      endpoints,
      targets,
      headers: { accept: 'application/json', 'user-agent': userAgentOf(appInfo), ...headers },
      timeoutMs,
      retry,
      patience,
      maxBytes: maxResponseBytes.other,
      transport: this.transport,
      quotas: this.quotas,
      sign: profile.sign,
      statusMeanings: meaningsOf(profile),
    });
    this.tokens = new Tokens({
      clock,
      state,
      endpoints,
      format: profile.token,
      credentials: this.credentials,
      http: this.#http,
      lifetime,
      isSpent: (account) => this.quotas.waitMs(account, 'token') > 0,
    });
  }

  /** @param storeId - in a fleet. */
  accountOf(credentials: AccountCredentials, storeId?: string): Account {
    return new Account(this.#accountParts, credentials, storeId);
  }

  /**
   * Sends a call with the account's credential, when there is a slot in its quota.
   *
   * @param lifetime - of the client that makes the call.
   */
  send<T>(account: Account, call: Call<T>, lifetime: Lifetime = this.lifetime): Promise<T> {
    return this.#http.send(account, call, lifetime, this.tokens);
  }

  /** Logs a warning, unless one with the same `about` was logged. */
  warnOnce(account: Account, about: string, message: string): void {
    if (this.#warnedAbout.has(about)) return;
    this.#warnedAbout.add(about);
    account.logger.warn(`opendelivery-client: ${message}`);
  }
}

/** The library that a `fileState` uses. */
function driverOf(state: State): string | undefined {
  return 'driver' in state && typeof state.driver === 'string' ? state.driver : undefined;
}
