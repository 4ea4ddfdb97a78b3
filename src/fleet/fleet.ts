import { abandonOnAbort } from '../async/abort.js';
import { repeat, withinTime } from '../async/timer.js';
import type { HubClient } from '../client.js';
import { ClosedError, ConfigurationError, TimeoutError } from '../errors.js';
import type { AnyListener } from '../events/listeners.js';
import type {
  CycleReport,
  HubEventName,
  PollerEventName,
  PollerHealth,
  StopReport,
} from '../events/poller-events.js';
import { resolveStopTimeoutMs } from '../events/poller-options.js';
import { Subscriptions } from '../events/subscriptions.js';
import { type Shared, sharedOf } from '../wiring.js';
import { Assignment, type HeldShards } from './assignment.js';
import type { FleetHubEventListener, FleetListener } from './fleet-events.js';
import { type FleetHealth, healthOf, storeHealthOf } from './fleet-health.js';
import { type FleetOptions, type HubFleetOptions, resolveFleetOptions } from './fleet-options.js';
import type { FleetStore } from './fleet-store.js';
import { shardOf } from './places.js';
import { Roster } from './roster.js';
import type { StoreRecord } from './store-record.js';
import { Turns } from './turns.js';

/** How long the stores may take to be read again; longer than a store's listeners may hold up its removal. */
const READ_TIMEOUT_MS = 120_000;

/** How long `remove` waits for the listeners of a store. */
const REMOVE_TIMEOUT_MS = 30_000;

/** A `start` until its `stop`. */
interface Activity {
  readonly controller: AbortController;
  readonly cancelRefresh: () => void;
}

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
  readonly #options: FleetOptions;
  readonly #shared: Shared;
  readonly #subscriptions: Subscriptions;
  readonly #roster: Roster;
  readonly #turns: Turns;
  /** Called when a store had its first turn. */
  readonly #awaited = new Map<StoreRecord, () => void>();
  readonly #assignment: Assignment;
  #activity: Activity | undefined;
  #stopping: Promise<Map<string, StopReport>> | undefined;

  /** @throws {ConfigurationError} an option, or a store of an array, is missing, unknown or invalid. */
  constructor(options: HubFleetOptions) {
    const resolved = resolveFleetOptions(options);
    const { stores, requestsInFlight, poller, shard, ...common } = resolved;
    this.#options = resolved;
    this.#assignment = new Assignment(shard);
    this.#shared = sharedOf(common, requestsInFlight);
    this.#subscriptions = new Subscriptions(common.logger);
    this.#turns = new Turns({
      shared: this.#shared,
      pollerOptions: poller,
      subscriptions: this.#subscriptions,
      requestsInFlight,
      mayPoll: ({ store }) => this.#assignment.mayPoll(store.storeId),
      onPolled: (record) => this.#awaited.get(record)?.(),
    });
    this.#roster = new Roster({
      source: stores,
      onAdded: (record) => {
        const isRunning = this.#activity?.controller.signal.aborted === false;
        if (isRunning && this.#assignment.has(record.store.storeId)) this.#turns.begin(record);
      },
      onRemoved: async (record) => {
        await this.#turns.endAll([record], REMOVE_TIMEOUT_MS);
        this.#awaited.get(record)?.();
      },
      onInvalid: (error) => this.#emitError(error),
    });
  }

  /**
   * Adds a listener, as `EventPoller.on` does. Its second argument also has the
   * store: `storeId`, and `hub`, the store's client.
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
  async start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    signal?.throwIfAborted();
    const controller = this.#begin();
    signal?.addEventListener('abort', () => void this.stop(), { once: true, signal: controller.signal });
    await this.#load(controller.signal, signal);
    if (controller.signal.aborted) throw signal?.aborted ? signal.reason : controller.signal.reason;
    await new Promise<void>((resolve, reject) => {
      controller.signal.addEventListener('abort', () =>
        reject(signal?.aborted ? signal.reason : controller.signal.reason),
      );
      for (const record of this.#roster.values()) {
        if (record.isRemoved || !this.#assignment.has(record.store.storeId)) continue;
        this.#awaited.set(record, () => {
          this.#awaited.delete(record);
          if (this.#awaited.size === 0) resolve();
        });
        if (!record.isPolled) this.#turns.begin(record);
      }
      if (this.#awaited.size === 0) resolve();
    });
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
   * Removes a store, also if the option `stores` lists it: it stays out until `add`. Resolves when its listeners have ended, for at most 30 s,
   * and what they have handled is acknowledged.
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
    const { clock } = this.#shared;
    if (storeId === undefined) return healthOf(this.#roster.values(), clock);
    return storeHealthOf(this.#roster.get(storeId), clock);
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
  async runOnce(storeId: string, options: { readonly signal?: AbortSignal } = {}): Promise<CycleReport> {
    await this.#roster.load();
    const record = this.#roster.get(storeId);
    if (!record.isPolled) return this.#turns.runOnce(record, options.signal);
    throw new ConfigurationError('runOnce', `this fleet is running and polls '${storeId}'`);
  }

  /**
   * Stops polling, waits for the listeners that are running, and acknowledges
   * the events they have handled.
   *
   * @param options - `timeoutMs`: default 30 000; then it aborts the listeners and does not wait for them. A second call returns the result of the first one.
   * @returns the report of each store that was polled.
   */
  stop(options?: { readonly timeoutMs?: number }): Promise<Map<string, StopReport>> {
    const timeoutMs = resolveStopTimeoutMs(options);
    this.#stopping ??= this.#stop(timeoutMs).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  /**
   * Instead of `start`, for workers of a queue: the fleet runs, and polls only
   * the stores of the shards that are held. `stop` ends it.
   *
   * @internal
   * @throws {ConfigurationError} there is no listener for any order event, or the fleet is running.
   */
  startShards(shards: number): HeldShards {
    const { signal } = this.#begin();
    this.#assignment.holdNone(shards);
    const recordsOf = (shard: number) =>
      [...this.#roster.values()].filter(({ store }) => shardOf(store.storeId, shards) === shard);
    return {
      signal,
      load: () => this.#roster.load(),
      report: (error) => this.#emitError(error),
      repeatWaits: () => this.#turns.repeatWaits(this.#roster.values()),
      hold: (shard, mayPoll, since) => {
        this.#assignment.hold(shard, mayPoll);
        for (const record of recordsOf(shard)) if (!record.isPolled) this.#turns.begin(record, since);
      },
      release: async (shard, timeoutMs) => {
        this.#assignment.release(shard);
        await this.#turns.endAll(recordsOf(shard), timeoutMs);
      },
    };
  }

  /** Stops the fleet at the end of a block: `await using fleet = new HubFleet(…)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Reads the stores; if that fails, the fleet is stopped. @param given - the caller's signal. */
  async #load(ended: AbortSignal, given?: AbortSignal): Promise<void> {
    try {
      await abandonOnAbort(this.#roster.load(), ended);
    } catch (error) {
      if (!ended.aborted) await this.stop();
      throw given?.aborted ? given.reason : error;
    }
  }

  async #stop(timeoutMs: number): Promise<Map<string, StopReport>> {
    const activity = this.#activity;
    activity?.cancelRefresh();
    activity?.controller.abort(new ClosedError('the fleet is stopped'));
    const reports = await this.#turns.endAll([...this.#roster.values()], timeoutMs);
    this.#awaited.clear();
    if (this.#activity === activity) this.#activity = undefined;
    await this.#shared.transport.close();
    return reports;
  }

  /** @throws {ConfigurationError} the fleet is running, or there is no listener. */
  #begin(): AbortController {
    if (this.#activity) throw new ConfigurationError('start', 'the fleet is already running');
    this.#subscriptions.listeners.requireAny();
    const controller = new AbortController();
    const everyMs = this.#options.storesRefreshMs;
    const cancelRefresh = this.#roster.isRefreshable
      ? repeat(this.#shared.clock, everyMs, () => this.#readAgain())
      : () => {};
    this.#activity = { controller, cancelRefresh };
    return controller;
  }

  /** A source that hangs is asked again. */
  async #readAgain(): Promise<void> {
    const late = () => new TimeoutError('stores', READ_TIMEOUT_MS);
    try {
      await withinTime(this.#shared.clock, READ_TIMEOUT_MS, () => this.#roster.refresh(), late);
    } catch (error) {
      this.#emitError(error);
    }
  }

  #emitError(thrown: unknown): void {
    const { observers } = this.#subscriptions;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
    if (observers.has('error')) observers.emit('error', error, { storeId: undefined });
    else this.#options.logger.error('opendelivery-client: the fleet reports an error', { error });
  }
}
