import { randomUUID } from 'node:crypto';
import { Observers } from './async/observers.js';
import type { TokenEvents } from './auth/auth.js';
import { authorize } from './auth/authorize.js';
import type { CachedToken } from './auth/cached-token.js';
import { Credentials } from './auth/credentials.js';
import { TokenManager, type TokenPauses } from './auth/token-manager.js';
import { type Clock, ownClock } from './clock.js';
import { Claim } from './events/claim.js';
import { EventsClient } from './events/client.js';
import type { Grant } from './events/grant.js';
import { HandledMarks } from './events/handled-marks.js';
import type { ClientParts, Quote } from './events/poller-context.js';
import { Runs } from './events/runs.js';
import { StoreLease } from './events/store-lease.js';
import { atOurPace, type EndpointTable, endpointsOf, minIntervalMsOf } from './host-endpoints.js';
import type { TrafficEvents } from './http/call.js';
import { Targets } from './http/endpoint-url.js';
import { Governor } from './http/governor.js';
import { HttpClient } from './http/http-client.js';
import type { Lane } from './http/lane.js';
import { quotaKey } from './http/quota.js';
import { NO_PATIENCE, patienceOf } from './http/slot-queue.js';
import { Transport } from './http/transport.js';
import { userAgentOf } from './http/user-agent.js';
import { ClientLogger, type Logger } from './logger.js';
import { MerchantClient } from './merchant/client.js';
import type { CommonOptions, StoreCredentials } from './options.js';
import { Orders } from './orders.js';
import { Redactor } from './secrets/redactor.js';
import { guardState } from './state/guard.js';
import { memoryState } from './state/memory-state.js';
import type { State } from './state/port.js';

/** At most so many characters of an id or a message of the hub are quoted. */
const MAX_QUOTED = 200;

/** The events of `hub.on`. They never contain a secret. */
export type HubEvents = TrafficEvents & TokenEvents;

/** What all clients of a fleet share; a `HubClient` of its own has it alone. */
export interface Shared {
  readonly options: CommonOptions;
  /** The hub's endpoints, as its profile says. */
  readonly endpoints: EndpointTable;
  readonly targets: Targets;
  /** With timers of its own, see `ownClock`. */
  readonly clock: Clock;
  /** As the application passed it. */
  readonly givenState: State;
  readonly state: State;
  /** See `PollerHealth.stateDriver`. */
  readonly stateDriver: string | undefined;
  readonly transport: Transport;
  /** Whether they are the clients of a fleet. */
  readonly isFleet: boolean;
  readonly userAgent: string;
  /** Identifies the clients among all that share the state. */
  readonly holder: string;
  /** See `ClientParts`. */
  readonly warnedAbout: Set<string>;
}

/** @param requestsInFlight - of all clients together; undefined: as many as there are calls. */
export function sharedOf(options: CommonOptions, requestsInFlight?: number): Shared {
  const { fetch, dispatcher } = options;
  const { baseUrl, basePath, tokenUrl } = options;
  const givenState = options.state ?? memoryState();
  const endpoints = atOurPace(endpointsOf(options.profile));
  const stateDriver = driverOf(givenState);
  if (stateDriver) options.logger.debug(`opendelivery-client: fileState uses ${stateDriver}`, {});
  return {
    options,
    endpoints,
    targets: new Targets({ baseUrl, basePath, tokenUrl, endpoints }),
    clock: ownClock(options.clock),
    givenState,
    state: guardState(givenState, options.logger),
    stateDriver,
    transport: new Transport({ fetch, dispatcher, requestsInFlight }),
    isFleet: requestsInFlight !== undefined,
    userAgent: userAgentOf(options.appInfo),
    holder: randomUUID(),
    warnedAbout: new Set(),
  };
}

/** The library that a `fileState` uses. */
function driverOf(state: State): string | undefined {
  return 'driver' in state && typeof state.driver === 'string' ? state.driver : undefined;
}

/** What a store's objects leave behind for the next ones, if they are not kept. */
export interface StoreMemory {
  /** The store, in a fleet. */
  readonly storeId?: string | undefined;
  /** See `Credentials.storeScope`. */
  readonly storeScope?: string | undefined;
  readonly token?: CachedToken | undefined;
  readonly grant?: Grant | undefined;
  /** What is known of the polling quota. */
  readonly lane?: Lane | undefined;
  /** Of failed token requests. */
  readonly tokenPauses?: TokenPauses | undefined;
  /** Runs that an earlier poller of the store has left behind. */
  readonly runs?: Runs | undefined;
}

/** All objects of one store, connected with each other. `HubClient` is the door to them. */
export class Wiring {
  readonly storeId: string | undefined;
  readonly shared: Shared;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observers: Observers<HubEvents>;
  readonly credentials: Credentials;
  readonly governor: Governor;
  readonly http: HttpClient;
  readonly tokens: TokenManager;
  readonly events: EventsClient;
  readonly lease: StoreLease;
  readonly #redactor = new Redactor();
  readonly #leftRuns: Runs | undefined;
  #pollerParts: ClientParts | undefined;

  constructor(shared: Shared, store: StoreCredentials, memory: StoreMemory = {}) {
    const { options, endpoints, targets, clock, state } = shared;
    const { headers, timeoutMs, retry, rateLimit, maxResponseBytes } = options;
    const redactor = this.#redactor;
    const { storeScope, storeId } = memory;
    const credentials = new Credentials({
      targets,
      clientId: store.clientId,
      clientSecret: store.clientSecret,
      apiKey: store.apiKey,
      headers,
      redactor,
      clock,
      timeoutMs,
      storeScope,
    });
    const scope = credentials.storeScope;
    const logger = new ClientLogger(options.logger, redactor);
    const observers = new Observers<HubEvents>(logger);
    const governor = new Governor({ endpoints, clock, state, timeoutMs, pollingLane: memory.lane });
    this.http = new HttpClient({
      clock,
      endpoints,
      targets,
      headers,
      timeoutMs,
      retry,
      maxResponseBytes,
      redactor,
      governor,
      transport: shared.transport,
      sharesTransport: shared.isFleet,
      userAgent: shared.userAgent,
      patience: rateLimit.mode === 'wait' ? patienceOf(rateLimit.maxWaitMs) : NO_PATIENCE,
      scope: (endpoint) => (endpoint === 'merchant' ? credentials.merchantScope() : scope),
      authorize: (endpoint, attempt) => authorize(endpoint, attempt, this.tokens, credentials),
      traffic: observers,
      sign: options.profile.sign,
      storeId,
    });
    this.tokens = new TokenManager({
      clock,
      state,
      endpoints,
      format: options.profile.token,
      credentials,
      http: this.http,
      redactor,
      token: memory.token,
      pauses: memory.tokenPauses,
      storeId,
      emit: (name, payload) => observers.emit(name, payload as HubEvents[typeof name]),
    });
    this.events = new EventsClient({
      send: this.#send,
      now: () => clock.monotonic(),
      throwIfClosed: this.#throwIfClosed,
      storeId,
      quote: this.#quote,
    });
    this.lease = new StoreLease({
      clock,
      state,
      key: quotaKey(scope, 'polling'),
      holder: shared.holder,
      // That of an idle store ends during a long backoff: another process may try then.
      renewsWhenIdle: !shared.isFleet,
      grant: memory.grant,
    });
    this.storeId = storeId;
    this.shared = shared;
    this.#leftRuns = memory.runs;
    this.clock = clock;
    this.logger = logger;
    this.observers = observers;
    this.credentials = credentials;
    this.governor = governor;
  }

  merchant(): MerchantClient {
    const { shared, clock, credentials, logger } = this;
    return new MerchantClient({
      clock,
      state: shared.state,
      stateKey: async () => `merchant:${await credentials.merchantScope()}`,
      logger,
      merchant: shared.options.merchant,
      send: this.#send,
      throwIfClosed: this.#throwIfClosed,
    });
  }

  orders(): Orders {
    return new Orders({ send: this.#send, now: () => this.clock.now(), quote: this.#quote });
  }

  /** What all pollers of the client share. */
  get pollerParts(): ClientParts {
    this.#pollerParts ??= this.#newPollerParts();
    return this.#pollerParts;
  }

  #newPollerParts(): ClientParts {
    const { storeId, shared, clock, logger, events, lease } = this;
    const { state, warnedAbout } = shared;
    const stateKey = `events:${this.credentials.storeScope}`;
    return {
      clock,
      storeId,
      logger,
      quote: this.#quote,
      state,
      stateDriver: shared.stateDriver,
      stateKey,
      minIntervalMs: minIntervalMsOf(shared.endpoints),
      events,
      runs: this.#leftRuns ?? new Runs(),
      handledMarks: new HandledMarks({ clock, state, stateKey }),
      lease,
      warnedAbout,
      claim: new Claim(),
      signingSecrets: (others) => this.credentials.signingSecrets(others),
      throwIfClosed: this.#throwIfClosed,
    };
  }

  readonly #quote: Quote = (text, maxLength = MAX_QUOTED) => this.#redactor.mask(text, maxLength);
  readonly #send: HttpClient['send'] = (call) => this.http.send(call);
  readonly #throwIfClosed = (): void => this.http.throwIfClosed();
}
