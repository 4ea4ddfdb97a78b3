import { clientOver, type HubClient } from '../client.js';
import { ClosedError } from '../errors.js';
import type { TurnPolicy } from '../events/poll-turn.js';
import { pollerContext } from '../events/poller-context.js';
import type { LifecycleEvents } from '../events/poller-events.js';
import type { PollerOptions } from '../events/poller-options.js';
import { StorePoller } from '../events/store-poller.js';
import type { Subscriptions } from '../events/subscriptions.js';
import { NO_PATIENCE } from '../http/slot-queue.js';
import { EveryLevel, type Level, type Logger } from '../logger.js';
import { type Shared, Wiring } from '../wiring.js';
import type { StoreRecord } from './store-record.js';

/** What the seats of a fleet share. */
export interface SeatParts {
  readonly shared: Shared;
  readonly pollerOptions: PollerOptions;
  readonly subscriptions: Subscriptions;
}

/** A store whose slot is not free gives its place to another one. A store that is refused is tried again, rarely. */
const FLEET: TurnPolicy = {
  patience: NO_PATIENCE,
  isFatal: (error) => error instanceof ClosedError,
};

/** How long closing the store's client waits for its listeners. */
const STOP_TIMEOUT_MS = 30_000;

/** A record keeps no more of them: four kilobytes of a store that has many events. */
const CONFIRMED_KEYS = 48;

/**
 * The objects of one store of a fleet. They are made for a turn, and dropped
 * after it if nothing is left that only they know: an idle store is a record.
 */
export class Seat {
  readonly storeId: string;
  readonly wiring: Wiring;
  readonly poller: StorePoller;
  #hub: HubClient | undefined;
  #signal: AbortSignal | undefined;
  /** What the record knows of the events counted here. */
  #handled = 0;
  #acknowledged = 0;
  /** Pushed requests that are not answered yet. */
  #pushes = 0;

  constructor(record: StoreRecord, { shared, pollerOptions, subscriptions }: SeatParts) {
    const { storeId, clientId, clientSecret, apiKey } = record.store;
    this.storeId = storeId;
    this.wiring = new Wiring(shared, { clientId, clientSecret, apiKey }, record);
    const { listeners, observers } = subscriptions;
    const { pollerParts } = this.wiring;
    const context = pollerContext(pollerParts, pollerOptions, {
      pace: record.pace,
      confirmedKeys: record.confirmedKeys,
      merchants: record.store.merchants ?? pollerOptions.merchants,
      listeners,
      logger: new StoreLogger(pollerParts.logger, storeId),
      observers: {
        has: (name: keyof LifecycleEvents) => observers.has(name),
        emit: <Name extends keyof LifecycleEvents>(
          name: Name,
          payload: LifecycleEvents[Name],
          about?: object,
        ) => observers.emit(name, payload, { storeId, ...about }),
      },
      hub: () => this.hub,
    });
    this.poller = new StorePoller(context, {
      policy: FLEET,
      owner: { stop: () => this.poller.session.stop(STOP_TIMEOUT_MS) },
      onLeaseLost: () => {},
    });
  }

  /** The store's client. The application may keep it. */
  get hub(): HubClient {
    this.#hub ??= clientOver(this.wiring);
    return this.#hub;
  }

  /** Whether the application may use the client, now or later. */
  get isHandedOut(): boolean {
    return this.#hub !== undefined;
  }

  /** Begins a session, unless one goes on. @returns a signal that aborts when it is stopped. */
  begin(): AbortSignal {
    if (!this.#signal || this.#signal.aborted) {
      this.#signal = this.poller.session.begin('start', undefined);
      this.#handled = 0;
      this.#acknowledged = 0;
    }
    return this.#signal;
  }

  /** Answers what the hub pushes for the store. */
  async receive(request: Request): Promise<Response> {
    this.begin();
    this.#pushes += 1;
    try {
      return await this.poller.receive(request, () => false);
    } finally {
      this.#pushes -= 1;
    }
  }

  /** Whether nothing but the record's own data would be lost with this object. */
  get isIdle(): boolean {
    const { tokens, http, events, lease } = this.wiring;
    return (
      this.#pushes === 0 &&
      this.poller.isIdle &&
      tokens.isIdle &&
      http.isIdle &&
      !events.hasRefusals &&
      !lease.isRenewing
    );
  }

  /** Adds what was counted since the last call to the record. */
  countInto(record: StoreRecord): void {
    const { handled, acknowledged } = this.poller.health();
    record.handled += handled - this.#handled;
    record.acknowledged += acknowledged - this.#acknowledged;
    this.#handled = handled;
    this.#acknowledged = acknowledged;
  }

  /** Leaves in the record what the next seat of the store has to know. */
  leaveInto(record: StoreRecord): void {
    const { credentials, tokens, lease, governor } = this.wiring;
    this.countInto(record);
    record.storeScope = credentials.storeScope;
    record.token = tokens.cached;
    record.tokenPauses = tokens.pauses;
    record.grant = lease.suspend();
    record.lane = governor.pollingLane;
    const keys = this.poller.confirmedKeys(CONFIRMED_KEYS);
    record.confirmedKeys = keys.length > 0 ? keys : undefined;
  }
}

/** Every line says which store it is about. */
class StoreLogger extends EveryLevel {
  readonly #logger: Logger;
  readonly #storeId: string;

  constructor(logger: Logger, storeId: string) {
    super();
    this.#logger = logger;
    this.#storeId = storeId;
  }

  protected write(level: Level, message: string, fields?: object): void {
    this.#logger[level](message, { storeId: this.#storeId, ...fields });
  }
}
