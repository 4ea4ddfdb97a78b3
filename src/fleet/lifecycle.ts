import { abandonOnAbort } from '../async/abort.js';
import { repeat, withinTime } from '../async/timer.js';
import { ClosedError, ConfigurationError, TimeoutError } from '../errors.js';
import type { StopReport } from '../events/poller-events.js';
import type { Shared } from '../wiring.js';
import type { Assignment, HeldShards } from './assignment.js';
import { shardOf } from './places.js';
import type { Roster } from './roster.js';
import type { StoreRecord } from './store-record.js';
import type { Turns } from './turns.js';

export interface LifecycleOptions {
  readonly shared: Shared;
  readonly storesRefreshMs: number;
  readonly intervalMs: number;
  readonly assignment: Assignment;
  readonly roster: Roster;
  readonly turns: Turns;
  /** An error that is not about one store. */
  readonly onError: (error: unknown) => void;
}

/** So many stores begin without a break; ten thousand would keep the event loop from everything else for 50 ms. */
const STORES_AT_A_TIME = 500;

/** How long the stores may take to be read again; longer than a store's listeners may hold up its removal. */
const READ_TIMEOUT_MS = 120_000;

/** A fleet whose signal aborts waits this long for its listeners. */
const SIGNAL_TIMEOUT_MS = 30_000;

/** A `start` until its `stop`. */
interface Activity {
  readonly controller: AbortController;
  readonly cancelRefresh: () => void;
  readonly cancelWatch: () => void;
}

/** When a fleet polls: from `start`, which reads the stores again and again, to `stop`. */
export class Lifecycle {
  readonly #options: LifecycleOptions;
  /** Stores that had no turn yet. */
  #awaited = new Set<StoreRecord>();
  /** Called when each of them had. */
  #onStarted = () => {};
  #activity: Activity | undefined;
  #stopping: Promise<Map<string, StopReport>> | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#activity?.controller.signal.aborted === false;
  }

  /** The store was polled, its failure was reported, or it has left the fleet. */
  polled(record: StoreRecord): void {
    if (this.#awaited.delete(record) && this.#awaited.size === 0) this.#onStarted();
  }

  /** See `HubFleet.start`. */
  async start(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { signal: ended } = this.#begin();
    const reason = () => (signal?.aborted ? signal.reason : ended.reason);
    signal?.addEventListener('abort', () => void this.stop(SIGNAL_TIMEOUT_MS), { once: true, signal: ended });
    try {
      await abandonOnAbort(this.#load(), ended);
    } catch (error) {
      if (!ended.aborted) await this.stop(SIGNAL_TIMEOUT_MS);
      throw signal?.aborted ? signal.reason : error;
    }
    if (ended.aborted) throw reason();
    await new Promise<void>((resolve, reject) => {
      ended.addEventListener('abort', () => reject(reason()));
      void this.#beginAll(ended, resolve);
    });
  }

  /** See `HubFleet.startShards`. */
  startShards(shards: number): HeldShards {
    const { assignment, roster, turns, onError } = this.#options;
    const { signal } = this.#begin();
    assignment.holdNone(shards);
    const recordsOf = (shard: number) =>
      [...roster.values()].filter(({ store }) => shardOf(store.storeId, shards) === shard);
    return {
      signal,
      load: () => this.#load(),
      report: onError,
      repeatWaits: () => turns.repeatWaits(roster.values()),
      hold: (shard, mayPoll, since) => {
        assignment.hold(shard, mayPoll);
        for (const record of recordsOf(shard)) if (!record.isPolled) turns.begin(record, since);
      },
      release: async (shard, timeoutMs) => {
        assignment.release(shard);
        await turns.endAll(recordsOf(shard), timeoutMs);
      },
    };
  }

  /** See `HubFleet.stop`. A second call shares the first one's result, and can only make it come sooner. */
  stop(timeoutMs: number): Promise<Map<string, StopReport>> {
    // Stores that are ending already, for this stop or because their client was closed, take the shorter limit.
    for (const { seat } of this.#options.roster.values()) {
      if (seat?.poller.session.isStopping) void seat.poller.session.stop(timeoutMs);
    }
    this.#stopping ??= this.#stop(timeoutMs).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  /** Reads the stores. Loading undici takes a tenth of a second of CPU time, for which no poll should wait. */
  async #load(): Promise<void> {
    const { roster, shared } = this.#options;
    const { transport } = shared;
    await Promise.all([roster.load(), transport.isReady() ? undefined : transport.prepare()]);
  }

  /** @param onStarted - called when each store had its first turn. */
  async #beginAll(ended: AbortSignal, onStarted: () => void): Promise<void> {
    const { assignment, roster, shared, turns } = this.#options;
    const records = [...roster.values()].filter(
      ({ isRemoved, store }) => !isRemoved && assignment.has(store.storeId),
    );
    this.#awaited = new Set(records);
    this.#onStarted = onStarted;
    if (records.length === 0) onStarted();
    for (const [index, record] of records.entries()) {
      if (index > 0 && index % STORES_AT_A_TIME === 0) await shared.clock.sleep(0, ended).catch(() => {});
      if (ended.aborted) return;
      if (!record.isPolled) turns.begin(record);
    }
  }

  async #stop(timeoutMs: number): Promise<Map<string, StopReport>> {
    const { roster, turns, shared } = this.#options;
    const activity = this.#activity;
    activity?.cancelRefresh();
    activity?.cancelWatch();
    activity?.controller.abort(new ClosedError('the fleet is stopped'));
    const reports = await turns.endAll([...roster.values()], timeoutMs);
    this.#awaited.clear();
    if (this.#activity === activity) this.#activity = undefined;
    await shared.transport.close();
    return reports;
  }

  /** @throws {ConfigurationError} the fleet is running. */
  #begin(): AbortController {
    if (this.#activity) throw new ConfigurationError('start', 'the fleet is already running');
    const { intervalMs, roster, shared, storesRefreshMs, turns } = this.#options;
    const controller = new AbortController();
    const cancelRefresh = roster.isRefreshable
      ? repeat(shared.clock, storesRefreshMs, () => this.#readAgain())
      : () => {};
    const cancelWatch = repeat(shared.clock, intervalMs, () => turns.reportOverdue(roster.values()));
    this.#activity = { controller, cancelRefresh, cancelWatch };
    return controller;
  }

  /** A source that hangs is asked again. */
  async #readAgain(): Promise<void> {
    const { roster, shared, onError } = this.#options;
    const late = () => new TimeoutError('stores', READ_TIMEOUT_MS);
    try {
      await withinTime(shared.clock, READ_TIMEOUT_MS, () => roster.refresh(), late);
    } catch (error) {
      onError(error);
    }
  }
}
