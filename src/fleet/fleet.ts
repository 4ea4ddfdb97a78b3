import type { HubClient } from '../client.js';
import { ConfigurationError } from '../errors.js';
import type { AnyListener } from '../events/listeners.js';
import type {
  CycleReport,
  HubEventName,
  PollerEventName,
  PollerHealth,
  StopReport,
} from '../events/poller-events.js';
import { resolveStopTimeoutMs } from '../events/poller-options.js';
import { notNow, refused } from '../events/push/refusal.js';
import { Subscriptions } from '../events/subscriptions.js';
import { type Shared, sharedOf } from '../wiring.js';
import { Assignment, type HeldShards } from './assignment.js';
import type { FleetHubEventListener, FleetListener } from './fleet-events.js';
import { type FleetHealth, healthOf, storeHealthOf } from './fleet-health.js';
import { type HubFleetOptions, resolveFleetOptions } from './fleet-options.js';
import type { FleetStore } from './fleet-store.js';
import { Lifecycle } from './lifecycle.js';
import { Roster } from './roster.js';
import { Turns } from './turns.js';

/** How long `remove` waits for the listeners of a store. */
const REMOVE_TIMEOUT_MS = 30_000;

/**
 * Polls many stores in one process: one timer, one Agent, a bounded number of
 * requests in flight. A store that has nothing to do is a small record.
 *
 * The polls are spread over the interval by a hash of the stores' ids. A
 * failure of one store does not delay the others.
 *
 * @see Spec §6.2, §8
 */
export class HubFleet {
  readonly #shared: Shared;
  readonly #intervalMs: number;
  readonly #subscriptions: Subscriptions;
  readonly #roster: Roster;
  readonly #turns: Turns;
  readonly #lifecycle: Lifecycle;

  /** @throws {ConfigurationError} an option, or a store of an array, is missing, unknown or invalid. */
  constructor(options: HubFleetOptions) {
    const resolved = resolveFleetOptions(options);
    const { stores, storesRefreshMs, requestsInFlight, poller, shard, ...common } = resolved;
    const assignment = new Assignment(shard);
    this.#intervalMs = poller.intervalMs;
    this.#shared = sharedOf(common, requestsInFlight);
    this.#subscriptions = new Subscriptions(common.logger);
    this.#turns = new Turns({
      shared: this.#shared,
      pollerOptions: poller,
      subscriptions: this.#subscriptions,
      requestsInFlight,
      mayPoll: ({ store }) => assignment.mayPoll(store.storeId),
      onPolled: (record) => this.#lifecycle.polled(record),
    });
    this.#roster = new Roster({
      source: stores,
      onAdded: (record) => {
        // The stores of an array come before there is a lifecycle.
        if (this.#lifecycle?.isRunning && assignment.has(record.store.storeId)) this.#turns.begin(record);
      },
      onRemoved: async (record) => {
        await this.#turns.endAll([record], REMOVE_TIMEOUT_MS);
        this.#lifecycle.polled(record);
      },
      onInvalid: (error) => this.#emitError(error),
    });
    this.#lifecycle = new Lifecycle({
      shared: this.#shared,
      storesRefreshMs,
      intervalMs: poller.intervalMs,
      assignment,
      roster: this.#roster,
      turns: this.#turns,
      onError: (error) => this.#emitError(error),
    });
  }

  /**
   * Adds a listener, as `EventPoller.on` does. Its second argument also has `storeId`; observers get
   * nothing else, and those of `error` what it is about.
   *
   * @throws {ConfigurationError} the name is misspelled, or not upper case.
   */
  on<Name extends PollerEventName>(name: Name, listener: FleetListener<Name>): this;
  on<Name extends string>(name: HubEventName<Name>, listener: FleetHubEventListener): this;
  on(name: string, listener: AnyListener): this {
    this.#subscriptions.add(name, listener, false);
    return this;
  }

  /** Like `on`, but the listener is removed after it has resolved once, for any store. */
  once<Name extends PollerEventName>(name: Name, listener: FleetListener<Name>): this;
  once<Name extends string>(name: HubEventName<Name>, listener: FleetHubEventListener): this;
  once(name: string, listener: AnyListener): this {
    this.#subscriptions.add(name, listener, true);
    return this;
  }

  /** Removes a listener. */
  off<Name extends PollerEventName>(name: Name, listener: FleetListener<Name>): this;
  off<Name extends string>(name: HubEventName<Name>, listener: FleetHubEventListener): this;
  off(name: string, listener: AnyListener): this {
    this.#subscriptions.remove(name, listener);
    return this;
  }

  /**
   * Polls all stores until `stop`. Resolves when every store was polled once, or
   * its failure was reported, or another process polls it; that takes up to one
   * interval, because the polls are spread.
   *
   * @param options - `signal`: stops the fleet whenever it aborts.
   * @throws {ConfigurationError} there is no listener for any order event, or the fleet is running.
   * @throws {ClosedError} the fleet was stopped before every store was polled.
   * @throws what reading the option `stores` throws.
   */
  async start({ signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#subscriptions.listeners.requireAny();
    return this.#lifecycle.start(signal);
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
  }

  /** Returns what the fleet is doing, without a request to the hub. */
  health(): FleetHealth;
  /** Returns what the poller of one store is doing. @throws {ConfigurationError} there is no such store. */
  health(storeId: string): PollerHealth;
  health(storeId?: string): FleetHealth | PollerHealth {
    if (storeId === undefined) return healthOf(this.#roster.values(), this.#shared.clock, this.#intervalMs);
    return storeHealthOf(this.#roster.get(storeId), this.#shared, this.#intervalMs);
  }

  /**
   * Returns the store's client. The fleet keeps its objects from then on, about
   * ten kilobytes: in a listener, use the `hub` of its second argument.
   *
   * @throws {ConfigurationError} there is no such store, or the stores were not read yet.
   */
  hub(storeId: string): HubClient {
    const record = this.#roster.get(storeId);
    record.isPinned = true;
    return this.#turns.seatOf(record).hub;
  }

  /**
   * Polls, handles and acknowledges once for one store, for cron jobs, queue
   * workers and workflow engines. See `EventPoller.runOnce`.
   *
   * @throws the error of the poll. Failures of listeners are in the report.
   * @throws {ConfigurationError} this fleet is running and polls the store, or there is no such store.
   */
  async runOnce(
    storeId: string,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CycleReport> {
    await this.#roster.load();
    const record = this.#roster.get(storeId);
    if (!record.isPolled) return this.#turns.runOnce(record, options.signal);
    throw new ConfigurationError('runOnce', `this fleet is running and polls '${storeId}'`);
  }

  /**
   * Answers a request with which the hub pushes events of one store, as `EventPoller.receive` does. 404: this fleet
   * does not have the store; 503: it does not poll the store now.
   *
   * @param storeId - find it by the path that you gave to the hub, or by the header `X-App-MerchantId`; its secret decides whether the request is genuine.
   * @returns never rejects.
   */
  async receive(storeId: string, request: Request): Promise<Response> {
    const record = this.#roster.find(storeId);
    if (!record) return refused({ status: 404, title: 'no such store' });
    if (!record.isPolled) return refused(notNow('the store is not polled here'));
    return this.#turns.receive(record, request);
  }

  /**
   * Stops polling, waits for the listeners that are running, and acknowledges
   * the events they have handled.
   *
   * @param options - `timeoutMs`: default 30 000; then it aborts the listeners and does not wait for them. A second call returns the result of the first one; with a shorter time limit, sooner.
   * @returns the report of each store that was polled.
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<Map<string, StopReport>> {
    return this.#lifecycle.stop(resolveStopTimeoutMs(options));
  }

  /**
   * Instead of `start`, for workers of a queue: the fleet runs, and polls only
   * the stores of the shards that are held. `stop` ends it.
   *
   * @internal
   * @throws {ConfigurationError} there is no listener for any order event, or the fleet is running.
   */
  startShards(shards: number): HeldShards {
    this.#subscriptions.listeners.requireAny();
    return this.#lifecycle.startShards(shards);
  }

  /** Stops the fleet at the end of a block: `await using fleet = new HubFleet(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #emitError(thrown: unknown): void {
    const { observers } = this.#subscriptions;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
    if (observers.has('error')) observers.emit('error', error, {});
    else this.#shared.options.logger.error('opendelivery-client: the fleet reports an error', { error });
  }
}
