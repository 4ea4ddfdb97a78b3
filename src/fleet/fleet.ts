import { clientOf, type HubClient } from '../client.js';
import { createEngine } from '../engine/create-engine.js';
import { scheduleNext } from '../engine/due.js';
import { type Engine, reportError } from '../engine/engine.js';
import { healthOf } from '../engine/health.js';
import { runOnce, skipped } from '../engine/lifecycle.js';
import { newSubscriptions } from '../engine/listeners.js';
import { resolveStopTimeoutMs } from '../engine/options.js';
import { notNow, Receiver, refused } from '../engine/push/receiver.js';
import type { CycleReport, PollerHealth, StopReport } from '../engine/reports.js';
import type { Store } from '../engine/store.js';
import { Subscribable } from '../engine/subscribable.js';
import { PushRefusedError } from '../errors/index.js';
import { signalOf } from '../http/call-options.js';
import { Services } from '../services/services.js';
import { Assignment } from './assignment.js';
import { endStores } from './end-stores.js';
import type { FleetContextOf, FleetListeners } from './fleet-events.js';
import { type FleetHealth, fleetHealthOf } from './fleet-health.js';
import { type HubFleetOptions, resolveFleetOptions } from './fleet-options.js';
import type { FleetStore } from './fleet-store.js';
import { Polling } from './polling.js';
import { Roster } from './roster.js';
import type { ShardPolling } from './shard-polling.js';

/** Stores that are due within this time of each other share a wake-up: at 20 ms, a poll takes a third more CPU time. */
const STEP_MS = 50;

/** How long `remove` waits for the listeners of a store. */
const REMOVE_TIMEOUT_MS = 30_000;

/**
 * Polls many stores in one process: one timer, one Agent, a bounded number of requests in flight. A store that has
 * nothing to do is a small record.
 *
 * The polls are spread over the interval by a hash of the stores' ids. Stores that became late together are polled at no
 * more than three times the mean rate, and return to their phases. A failure of one store does not delay the others.
 *
 * @see Spec §6.2, §8
 */
export class HubFleet<Tx = never> extends Subscribable<
  FleetListeners<FleetContextOf<Tx>>,
  FleetContextOf<Tx>,
  Map<string, StopReport>
> {
  readonly #engine: Engine;
  readonly #roster: Roster;
  readonly #polling: Polling;
  readonly #receivers = new WeakMap<Store, Receiver>();

  /** @throws {ConfigurationError} an option, or a store of an array, is missing, unknown or invalid. */
  constructor(options: HubFleetOptions<Tx>) {
    const resolved = resolveFleetOptions(options);
    const { stores, storesRefreshMs, requestsInFlight, poller, shard, ...common } = resolved;
    const services = new Services(common, requestsInFlight);
    const subscriptions = newSubscriptions(common.logger, poller.inbox !== undefined);
    super(subscriptions);
    this.#engine = createEngine(services, poller, subscriptions, {
      turnsInProgress: requestsInFlight,
      stepMs: STEP_MS,
      keepsIdleLease: false,
      hubOf: (store) => clientOf(services, store),
      // A store that is refused is tried again, rarely.
      onTurnFailed: () => false,
      onFirstTurn: (store) => this.#polling.polled(store),
      // Its shard may have come back while its listeners ended.
      onStopped: (store) => this.#polling.join(store),
    });
    const assignment = new Assignment(shard);
    const onError = (error: unknown) =>
      reportError(this.#engine, undefined, error, 'the fleet reports an error');
    this.#roster = new Roster({
      services,
      source: stores,
      onAdded: (store) => {
        assignment.add(store);
        // The stores of an array come before there is a polling.
        this.#polling?.join(store);
      },
      onRemoved: async (store) => {
        await endStores({ engine: this.#engine, requestsInFlight }, [store], REMOVE_TIMEOUT_MS);
        assignment.remove(store);
        this.#polling.polled(store);
      },
      onInvalid: onError,
    });
    this.#polling = new Polling({
      engine: this.#engine,
      storesRefreshMs,
      requestsInFlight,
      assignment,
      roster: this.#roster,
      onError,
    });
  }

  /**
   * Polls all stores until `stop`. Resolves when every store was polled once, or
   * its failure was reported, or another process polls it, or it is paused; that takes up to one
   * interval, because the polls are spread. It also resolves when the fleet is stopped: ending is not an error.
   *
   * @param options - `signal`: stops the fleet whenever it aborts.
   * @throws {ConfigurationError} there is no listener for any order event, or the fleet is running.
   * @throws the signal's reason, if it aborts before.
   * @throws what reading the option `stores` throws.
   */
  async start(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#polling.start(signalOf(options));
  }

  /** As `start`, but if the stores cannot be read, it reports that, and tries again. @internal */
  startPersistently(): Promise<void> {
    return this.#polling.startPersistently();
  }

  /**
   * Adds a store, and polls it if the fleet is running. It stays until `remove`,
   * whatever the option `stores` returns.
   *
   * @throws {ConfigurationError} the store is invalid, or its `storeId` or `clientId` is taken.
   */
  async add(store: FleetStore): Promise<void> {
    await this.#roster.load();
    this.#roster.add(store);
  }

  /**
   * Removes a store, also if the option `stores` lists it: it stays out until
   * `add`. Resolves when its listeners have ended, for at most 30 s, and what they
   * have handled is acknowledged.
   *
   * @throws {ConfigurationError} there is no such store.
   */
  async remove(storeId: string): Promise<void> {
    await this.#roster.load();
    await this.#roster.remove(storeId);
    this.#polling.paused.delete(storeId);
  }

  /** Returns what the fleet is doing, without a request to the hub. */
  health(): FleetHealth;
  /** Returns what the poller of one store is doing. @throws {ConfigurationError} there is no such store. */
  health(storeId: string): PollerHealth;
  health(storeId?: string): FleetHealth | PollerHealth {
    if (storeId === undefined) return fleetHealthOf(this.#engine, this.#roster.values(), this.#polling.begun);
    return healthOf(this.#engine, this.#roster.get(storeId));
  }

  /**
   * Sends no poll of one store, or of all, until `resume` or a stop. Events that were already received are still handled. Without
   * an argument it also applies to stores that come later.
   *
   * @throws {ConfigurationError} there is no such store.
   */
  pause(storeId?: string): void {
    this.#polling.setPaused(storeId, true);
  }

  /** Polls one store, or all, again; at once those that are due. @throws {ConfigurationError} there is no such store. */
  resume(storeId?: string): void {
    this.#polling.setPaused(storeId, false);
  }

  /**
   * Polls a store before its time, as soon as its quota allows. While the store is paused, the poll waits for `resume`.
   * Without effect while this fleet does not poll it.
   *
   * @throws {ConfigurationError} there is no such store.
   */
  poll(storeId: string): void {
    const store = this.#roster.get(storeId);
    store.dueAt = this.#engine.services.clock.monotonic();
    if (!store.turn) scheduleNext(this.#engine, store);
  }

  /**
   * Returns the store's client. Closing it ends its own calls, not the polling of the store.
   *
   * @throws {ConfigurationError} there is no such store, or the stores were not read yet.
   */
  hub(storeId: string): HubClient {
    return clientOf(this.#engine.services, this.#roster.get(storeId));
  }

  /**
   * Polls, handles and acknowledges once for one store, for cron jobs, queue
   * workers and workflow engines. See `EventPoller.runOnce`. While the fleet polls the store, no request is sent
   * to the hub, and the report is `{ skipped: 'leased', retryAfterMs }`.
   *
   * @throws the error of the poll. Failures of listeners are in the report.
   * @throws {ConfigurationError} there is no such store, or no listener for any order event.
   */
  async runOnce(
    storeId: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CycleReport> {
    const signal = signalOf(options);
    await this.#roster.load();
    const store = this.#roster.get(storeId);
    if (store.call) return skipped(this.#engine.options.intervalMs);
    try {
      return await runOnce(this.#engine, store, signal);
    } finally {
      // The fleet may have started meanwhile.
      this.#polling.join(store);
    }
  }

  /**
   * Answers a request with which the hub pushes events of one store, as `EventPoller.receive` does. 404: this fleet
   * does not have the store; 503: it does not poll the store now.
   *
   * @param storeId - find it by the path that you gave to the hub, or by the header `X-App-MerchantId`; its secret decides whether the request is genuine.
   * @returns never rejects.
   */
  async receive(storeId: string, request: Request): Promise<Response> {
    const store = this.#roster.find(storeId);
    if (!store) return refused(new PushRefusedError(404, 'no such store'));
    if (store.call !== 'start') return refused(notNow('the store is not polled here'));
    let receiver = this.#receivers.get(store);
    if (!receiver) {
      receiver = new Receiver(this.#engine, store, () => false);
      this.#receivers.set(store, receiver);
    }
    return receiver.receive(request);
  }

  /**
   * Stops polling, as `EventPoller.stop` does.
   *
   * @param options - `timeoutMs`: default 30 000; then it aborts the listeners and does not wait for them.
   * @returns the report of each store that was polled.
   */
  async stop(options?: { readonly timeoutMs?: number | undefined }): Promise<Map<string, StopReport>> {
    return this.#polling.stop(resolveStopTimeoutMs(options));
  }

  async close(options?: { readonly timeoutMs?: number | undefined }): Promise<Map<string, StopReport>> {
    return this.#polling.close(resolveStopTimeoutMs(options));
  }

  /**
   * Instead of `start`, for workers of a queue: polls only the stores of the shards that it is assigned. @internal
   *
   * @throws {ConfigurationError} there is no listener for any order event, or the fleet is running.
   */
  startShards(shards: number): ShardPolling {
    return this.#polling.startShards(shards);
  }
}
