import { abandonOnAbort } from '../async/promises.js';
import { callingRun } from '../engine/context.js';
import { untilPhase } from '../engine/due.js';
import type { Engine } from '../engine/engine.js';
import { watchStores } from '../engine/health.js';
import { begin, pause, resume, schedule } from '../engine/lifecycle.js';
import type { StopReport } from '../engine/reports.js';
import { mustWait, releaseLeft, stopSession } from '../engine/stop.js';
import type { Store } from '../engine/store.js';
import { ClosedError, ConfigurationError } from '../errors/index.js';
import { repeat } from '../time/timer.js';
import type { Assignment } from './assignment.js';
import { endStores } from './end-stores.js';
import type { BegunPolling } from './fleet-health.js';
import { readAgain, readPersistently, readStores } from './read-stores.js';
import type { Roster } from './roster.js';
import { type ShardPolling, shardPolling } from './shard-polling.js';
import { phaseOf } from './shards.js';

export interface PollingOptions {
  readonly engine: Engine;
  readonly storesRefreshMs: number;
  readonly requestsInFlight: number;
  readonly assignment: Assignment;
  readonly roster: Roster;
  /** An error that is not about one store. */
  readonly onError: (error: unknown) => void;
}

/** This many stores begin without a break; ten thousand would keep the event loop from everything else for 50 ms. */
const STORES_AT_A_TIME = 500;
/** A fleet whose signal aborts waits this long for its listeners. */
const SIGNAL_TIMEOUT_MS = 30_000;

/** A `start` until its `stop`. */
interface Activity extends BegunPolling {
  readonly controller: AbortController;
  readonly cancelTimers: () => void;
}

/** Whether `start` need not wait for a store that has begun. */
const hadTurn = ({ isStarted, isOnStandby, lastError, isPaused }: Store): boolean =>
  isStarted || isOnStandby || lastError !== undefined || isPaused;

/** When a fleet polls: from `start`, which reads the stores again and again, to `stop`. */
export class Polling {
  readonly #options: PollingOptions;
  /** Stores that had no turn yet. */
  #awaited = new Set<Store>();
  /** Called when each of them had. */
  #onStarted = () => {};
  #activity: Activity | undefined;
  #stopping: Promise<Map<string, StopReport>> | undefined;
  /** How often it was stopped. */
  #stops = 0;
  /** Whether stores that come are paused, by their ids; `undefined`: all others. */
  readonly paused = new Map<string | undefined, boolean>();

  constructor(options: PollingOptions) {
    this.#options = options;
  }

  /** The store has come, or nobody else polls it any more: polls it if the fleet is running. */
  join(store: Store): void {
    const { assignment, roster } = this.#options;
    const isRunning = this.#activity?.controller.signal.aborted === false;
    if (isRunning && !store.call && assignment.has(store) && roster.has(store)) this.begin(store);
  }

  /** The store was polled, its failure was reported, it is paused, or it has left the fleet: `start` does not wait for it. */
  polled(store: Store): void {
    if (this.#activity && store.call && store.isStarted) this.#activity.hasPolled = true;
    if (this.#awaited.delete(store) && this.#awaited.size === 0) this.#onStarted();
  }

  /** How far the present `start` has come, if the fleet was started. */
  get begun(): BegunPolling | 'idle' | 'stopping' {
    if (!this.#activity) return 'idle';
    return this.#activity.controller.signal.aborted ? 'stopping' : this.#activity;
  }

  /**
   * See `HubFleet.start`.
   *
   * @param read - how the stores are read; default: a failure ends it.
   */
  async start(signal: AbortSignal | undefined, read: typeof readPersistently = readStores): Promise<void> {
    signal?.throwIfAborted();
    const { engine } = this.#options;
    const stops = this.#stops;
    // A listener that waited for a stop might wait for itself.
    while (this.#stopping && callingRun()?.engine !== engine) await abandonOnAbort(this.#stopping, signal);
    // Stopped meanwhile: ending is not an error.
    if (this.#stops !== stops) return;
    const { signal: ended } = this.#begin();
    this.#options.assignment.reset();
    signal?.addEventListener('abort', () => void this.stop(SIGNAL_TIMEOUT_MS), { once: true, signal: ended });
    try {
      await abandonOnAbort(read(this.#options, ended), ended);
      await abandonOnAbort(this.#beginAll(ended), ended);
    } catch (error) {
      signal?.throwIfAborted();
      // Stopped before every store was polled: ending is not an error.
      if (ended.aborted) return;
      await this.stop(SIGNAL_TIMEOUT_MS);
      throw error;
    }
  }

  /** See `HubFleet.startPersistently`. */
  startPersistently(): Promise<void> {
    return this.start(undefined, readPersistently);
  }

  /** See `HubFleet.startShards`. */
  startShards(shards: number): ShardPolling {
    const { assignment, engine } = this.#options;
    const { signal } = this.#begin();
    assignment.divide(shards);
    engine.scheduler.mayPoll = (store) => assignment.mayPoll(store);
    return shardPolling(this, this.#options, signal);
  }

  /**
   * Polls the store from now on, each interval in its phase.
   *
   * @param polledUntil - until when another process did, in epoch ms; 0: unknown; undefined: never. A phase that has
   * come since then does not wait for the next interval: the state may still refuse the poll, and the scheduler paces
   * stores that are due at once.
   */
  begin(store: Store, polledUntil?: number): void {
    const { engine } = this.#options;
    const { clock } = engine.services;
    const { intervalMs } = engine.options;
    const now = clock.now();
    const { storeId = '' } = store.account;
    // By wall time, so that a restart does not move the phases.
    const phaseAt = phaseOf(storeId) * intervalMs;
    const nextInMs = untilPhase(phaseAt, now, intervalMs);
    const isMissed =
      polledUntil !== undefined && untilPhase(phaseAt, polledUntil, intervalMs) <= now - polledUntil;
    begin(engine, store, 'start');
    store.isPaused = this.paused.get(storeId) ?? this.paused.get(undefined) ?? false;
    store.phaseAt = clock.monotonic() + nextInMs;
    schedule(engine, store, clock.monotonic() + (isMissed ? 0 : nextInMs));
    if (store.isPaused) this.polled(store);
  }

  /**
   * Pauses or resumes one store; or all, and those that come later. A store that is added again with other credentials
   * keeps its setting.
   */
  setPaused(storeId: string | undefined, isPaused: boolean): void {
    const { engine, roster } = this.#options;
    const stores = storeId === undefined ? roster.values() : [roster.get(storeId)];
    if (storeId === undefined) this.paused.clear();
    this.paused.set(storeId, isPaused);
    for (const store of stores) {
      (isPaused ? pause : resume)(engine, store);
      if (isPaused) this.polled(store);
    }
  }

  /** See `HubFleet.stop`. A second call shares the first one's result, and can only make it come sooner. */
  async stop(timeoutMs: number): Promise<Map<string, StopReport>> {
    const { engine, roster } = this.#options;
    const { clock } = engine.services;
    const endsAt = clock.monotonic() + timeoutMs;
    this.#stops += 1;
    for (const store of roster.values()) if (store.stopping) void stopSession(engine, store, timeoutMs);
    this.#stopping ??= this.#stop(timeoutMs).finally(() => {
      this.#stopping = undefined;
    });
    const reports = await this.#stopping;
    const left = [...roster.values()].filter((store) => mustWait(engine, store));
    if (left.length === 0) return reports;
    const leftMs = Math.max(0, endsAt - clock.monotonic());
    return new Map([...reports, ...(await endStores(this.#options, left, leftMs))]);
  }

  /** See `HubFleet.close`. */
  async close(timeoutMs: number): Promise<Map<string, StopReport>> {
    const { engine, roster } = this.#options;
    const reports = await this.stop(timeoutMs);
    const stores = [...roster.values(), ...roster.left];
    await Promise.all(stores.map((store) => releaseLeft(engine, store)));
    return reports;
  }

  async #stop(timeoutMs: number): Promise<Map<string, StopReport>> {
    const { engine, roster } = this.#options;
    const activity = this.#activity;
    const stopped = new ClosedError('the fleet is stopped');
    activity?.cancelTimers();
    activity?.controller.abort(stopped);
    // A listener may share this stop: each caller waits itself for those that have called it.
    const reports = await endStores(this.#options, [...roster.values()], timeoutMs, stopSession);
    this.#awaited.clear();
    if (this.#activity === activity) this.#activity = undefined;
    engine.services.lifetime.abort(stopped);
    await engine.services.transport.close();
    return reports;
  }

  /** Resolves when each store had its first turn. */
  async #beginAll(ended: AbortSignal): Promise<void> {
    const { assignment, engine, roster } = this.#options;
    const stores = [...roster.values()].filter((store) => roster.has(store) && assignment.has(store));
    // A second read of the stores may have been faster than the first one: its stores were polled meanwhile.
    this.#awaited = new Set(stores.filter((store) => !store.call || !hadTurn(store)));
    const started = new Promise<void>((resolve) => {
      this.#onStarted = resolve;
    });
    for (const [index, store] of stores.entries()) {
      if (index > 0 && index % STORES_AT_A_TIME === 0) await engine.services.clock.sleep(0, ended);
      ended.throwIfAborted();
      if (!store.call && roster.has(store)) this.begin(store);
    }
    if (this.#activity) this.#activity.hasAll = true;
    if (this.#awaited.size > 0) await started;
  }

  /** @throws {ConfigurationError} the fleet is running, or has no listener for any order event. */
  #begin(): AbortController {
    this.#options.engine.listeners.requireAny();
    if (this.#activity) throw new ConfigurationError('start', 'the fleet is already running');
    this.paused.clear();
    const { engine, roster, storesRefreshMs } = this.#options;
    const { clock } = engine.services;
    const controller = new AbortController();
    const cancelRefresh = roster.isRefreshable
      ? repeat(clock, storesRefreshMs, () => readAgain(this.#options, controller.signal))
      : () => {};
    const stopWatching = watchStores(
      engine,
      () => roster.values(),
      (storeId) => roster.find(storeId),
    );
    const cancelTimers = () => {
      cancelRefresh();
      stopWatching();
    };
    this.#activity = { controller, cancelTimers, hasAll: false, hasPolled: false };
    return controller;
  }
}
