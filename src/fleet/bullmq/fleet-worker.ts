import { Queue } from 'bullmq';
import { callingRun, current } from '../../engine/context.js';
import { resolveStopTimeoutMs } from '../../engine/options.js';
import type { StopReport } from '../../engine/reports.js';
import { ConfigurationError, StateError } from '../../errors/index.js';
import { type Clock, elapsedMs, type Moment, momentOf, systemClock } from '../../time/clock.js';
import { Alarm } from '../../time/timer.js';
import type { HubFleet } from '../fleet.js';
import type { FleetHealth } from '../fleet-health.js';
import type { ShardPolling } from '../shard-polling.js';
import {
  connectionFor,
  type FleetWorkerOptions,
  reasonOf,
  resolveWorkerOptions,
  type WorkerFleet,
} from './options.js';
import { Processes, type Pulse } from './processes.js';
import { awaitRedis, restoreJobs, ShardProcessor } from './shard-processor.js';
import { ShardWorker } from './shard-worker.js';

/** Heartbeats and checks for lost locks come this often, or more often with a short lock. */
const HEARTBEAT_MS = 5000;
const HEARTBEATS_PER_LOCK = 6;

/** Whether the queue has a job for every shard is checked this often. */
const RESTORE_EVERY_MS = 60_000;

/** What a worker holds, what it knows of the others, and how its fleet is doing. */
export interface FleetWorkerHealth extends FleetHealth {
  /** Shards that this process holds. */
  readonly shards: number;
  /** Processes of the queue that are alive, this one included; 0 before the first heartbeat. */
  readonly alive: number;
  /** How many shards this process holds at most: those of the queue, divided by `alive`; the first processes one more. */
  readonly share: number;
  /**
   * The shards of each process that is alive, this one included, in ascending order, by the id of the process:
   * `{ 'pod-1-7-5f0c2a9b': [0, 2] }`; as the last heartbeat has read it (every 5 s, or six times per `lockMs`).
   */
  readonly holders: Readonly<Record<string, readonly number[]>>;
  /** As of a fleet. A process that has its share of the shards, and no store in them, is `running`. */
  readonly status: FleetHealth['status'];
  /** Stores that this process polls, and not all stores of the fleet. */
  readonly stores: number;
}

/** A process that polls its share of a fleet's stores. */
export interface FleetWorker {
  /**
   * Returns the shards, for other processes to take them at once, and stops the fleet. Resolves when the listeners have
   * ended and what they have handled is acknowledged.
   *
   * @param options - `timeoutMs`: default 30 000; then it aborts the listeners and does not wait for them. A second call
   * returns the result of the first one; with a shorter time limit, sooner.
   * @returns the report of each store that this process polled, by `storeId`.
   * @throws {ConfigurationError} `timeoutMs` is invalid.
   */
  close(options?: { readonly timeoutMs?: number | undefined }): Promise<Map<string, StopReport>>;
  /** Returns what this process holds, and how its stores are doing, without a request. */
  health(): FleetWorkerHealth;
  /** Closes the worker at the end of a block: `await using worker = fleetWorker(…)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Polls the stores of a fleet together with other processes, which do the same with the same stores, the same
 * `redisState` and the same queue. Instead of `fleet.start()`.
 *
 * The stores are divided into shards by a hash of their ids. A shard is a job of a BullMQ queue, and the process that
 * has it polls its stores. Processes may join, leave, be suspended and be killed. The first process ever, and any process
 * after Redis has lost its data, waits for `lockMs` before it polls: one that Redis does not know may still be polling.
 * Errors of the queue are emitted by the fleet as `error`.
 *
 * @throws {ConfigurationError} an option is missing, unknown or invalid, the fleet is running, or it has no listener for any order event.
 */
export function fleetWorker(options: FleetWorkerOptions): FleetWorker {
  return new ShardedFleet(options);
}

class ShardedFleet implements FleetWorker {
  /** Locks are real time, whatever the clock of the fleet is. */
  readonly #clock: Clock = systemClock;
  readonly #alarm = new Alarm(this.#clock);
  readonly #fleet: WorkerFleet;
  readonly #shards: number;
  readonly #lockMs: number;
  readonly #heartbeatMs: number;
  readonly #polling: ShardPolling;
  readonly #processor: ShardProcessor;
  readonly #closeConnection: () => void;
  readonly #queue: Queue;
  readonly #worker: ShardWorker;
  readonly #processes: Processes;
  /** What the last heartbeat has read. */
  #pulse: Pulse = { holders: {}, isNew: true };
  /** Errors since the last good heartbeat: while Redis is away, every try to connect fails. */
  readonly #reported = new Set<string>();
  #restoredAt: Moment | undefined;
  /** When Redis last did not know this process any more. */
  #forgottenAt: Moment | undefined;
  #closing: Promise<Map<string, StopReport>> | undefined;
  #isClosed = false;

  constructor(options: FleetWorkerOptions) {
    const { fleet, connection: given, shards, lockMs, queueName } = resolveWorkerOptions(options);
    this.#fleet = fleet;
    this.#shards = shards;
    this.#lockMs = lockMs;
    this.#heartbeatMs = Math.min(HEARTBEAT_MS, Math.floor(lockMs / HEARTBEATS_PER_LOCK));
    this.#polling = (fleet as HubFleet).startShards(shards);
    const processor = new ShardProcessor({ clock: this.#clock, lockMs, polling: this.#polling });
    this.#processor = processor;
    // Processes with another number of shards must not share the queue: their shards have other stores.
    const name = `${queueName}-${shards}`;
    const { connection, closeConnection } = connectionFor(given);
    this.#closeConnection = closeConnection;
    try {
      this.#queue = new Queue(name, { connection });
      this.#worker = new ShardWorker(name, { connection, lockMs, checkMs: this.#heartbeatMs, processor });
    } catch (cause) {
      closeConnection();
      void fleet.stop();
      throw new ConfigurationError('connection', `cannot be used: ${(cause as Error).message}`, { cause });
    }
    this.#processes = new Processes(this.#queue, this.#heartbeatMs);
    this.#queue.on('error', this.#reportQueue);
    this.#worker.on('error', this.#reportQueue);
    // The caller of `fleet.stop` has given a time limit; none is needed here.
    this.#polling.signal.addEventListener('abort', () => {
      this.#closing ??= this.#close(Number.POSITIVE_INFINITY);
    });
    void this.#run();
  }

  health(): FleetWorkerHealth {
    const health = this.#fleet.health();
    const { polling, backingOff, standby, refused } = health;
    const { holders } = this.#pulse;
    const stores = polling + backingOff + standby + refused;
    const shards = this.#processor.assigned.length;
    const alive = Object.keys(holders).length;
    const share = this.#processes.shareOf(this.#shards, this.#pulse);
    // Its shards have no stores, or there are more processes than shards.
    const hasNothingToPoll = alive > 0 && shards >= share && stores === 0;
    const status = health.status === 'starting' && hasNothingToPoll ? 'running' : health.status;
    return {
      ...health,
      status: this.#closing && status !== 'idle' ? 'stopping' : status,
      stores,
      shards,
      alive,
      share,
      holders,
    };
  }

  close(options?: { readonly timeoutMs?: number | undefined }): Promise<Map<string, StopReport>> {
    const timeoutMs = resolveStopTimeoutMs(options);
    if (this.#closing && !this.#isClosed) void this.#fleet.stop({ timeoutMs });
    // The end waits for a listener that calls, which must not wait for itself.
    const isInListener = callingRun() !== undefined;
    this.#closing ??= current.run(undefined as never, () => this.#close(timeoutMs));
    return isInListener ? this.#fleet.close({ timeoutMs }) : this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(): Promise<void> {
    let isLoaded = false;
    while (!this.#closing) {
      try {
        // Not before the stores are known: a shard without its stores would not be polled.
        if (!isLoaded) await this.#polling.load();
        isLoaded = true;
      } catch (error) {
        this.#report(error);
      }
      // It may have been closed meanwhile: another heartbeat would count it for a while.
      if (isLoaded && !this.#closing) await this.#beat().catch(this.#reportQueue);
      if (!this.#closing) await this.#alarm.wait(this.#heartbeatMs);
    }
  }

  async #beat(): Promise<void> {
    const held = this.#processor.assigned.map(({ shard }) => shard).sort((one, other) => one - other);
    const pulse = await this.#processes.beat(held);
    if (this.#closing) return;
    const lost = this.#processor.takeLost();
    if (lost > 0) {
      const why = 'because this process was suspended, or could not reach Redis, for too long';
      this.#report(new StateError(`${lost} shards were lost, ${why}; another process may poll their stores`));
    }
    // Its first heartbeat is not meant: it has no polls that Redis could have forgotten.
    const isFirst = Object.keys(this.#pulse.holders).length === 0;
    if (pulse.isNew && !isFirst) this.#forgottenAt = momentOf(this.#clock);
    // Otherwise the next process with a shard would poll while the hub still counts this one's polls. More than once,
    // because this one polls until it has lost its locks.
    const mayStillPoll = this.#forgottenAt && elapsedMs(this.#forgottenAt, this.#clock) <= this.#lockMs;
    if (mayStillPoll) await this.#polling.repeatWaits();
    this.#pulse = pulse;
    const share = this.#processes.shareOf(this.#shards, pulse);
    await this.#restore(pulse.isNew);
    if (this.#closing) return;
    await this.#worker.take(share);
    // Those that came last go first.
    for (const assigned of this.#processor.assigned.slice(share)) assigned.end();
    this.#reported.clear();
  }

  async #restore(isDoubtful: boolean): Promise<void> {
    if (isDoubtful) this.#restoredAt = undefined;
    if (this.#restoredAt && elapsedMs(this.#restoredAt, this.#clock) < RESTORE_EVERY_MS) return;
    await restoreJobs(this.#queue, this.#shards, this.#lockMs);
    this.#restoredAt = momentOf(this.#clock);
  }

  #report(error: unknown): void {
    const text = String(error);
    // The end closes the connection under what a heartbeat still sends.
    if (this.#closing || this.#reported.has(text)) return;
    this.#reported.add(text);
    this.#polling.report(error);
  }

  readonly #reportQueue = (cause: Error): void => {
    this.#report(new StateError(`the queue of the shards in Redis failed: ${reasonOf(cause)}`, { cause }));
  };

  async #close(timeoutMs: number): Promise<Map<string, StopReport>> {
    this.#alarm.wake();
    // First, so that the others take what this one returns.
    const left = awaitRedis(this.#clock, () => this.#processes.leave()).catch(() => {});
    await this.#worker.pause(true);
    // Waits for the jobs, also for one that is being fetched.
    const closed = this.#worker.close();
    const returned = this.#processor.close();
    const reports = await this.#fleet.close({ timeoutMs });
    await Promise.all([returned, left]);
    await awaitRedis(this.#clock, () => Promise.all([closed, this.#queue.close()])).catch(() => {
      // Redis is away.
      for (const each of [this.#worker, this.#queue]) each.disconnect().catch(() => {});
    });
    this.#closeConnection();
    this.#isClosed = true;
    return reports;
  }
}
