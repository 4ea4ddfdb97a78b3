import { Queue } from 'bullmq';
import { Alarm } from '../../async/timer.js';
import { type Clock, elapsedMs, type Moment, momentOf, systemClock } from '../../clock.js';
import { ConfigurationError, StateError } from '../../errors.js';
import type { HeldShards } from '../assignment.js';
import type { HubFleet } from '../fleet.js';
import { connectionFor, type QueueConnection } from './connection.js';
import { type FleetWorkerHealth, polledHealth } from './health.js';
import { Heartbeat } from './heartbeat.js';
import { type FleetWorkerOptions, resolveWorkerOptions } from './options.js';
import { Reports } from './reports.js';
import { ShardHolder } from './shard-holder.js';
import { restoreJobs } from './shard-jobs.js';
import { ShardWorker } from './shard-worker.js';
import { excessOf, shareOf } from './share.js';
import { within } from './within.js';

/** Heartbeats and checks for lost locks come this often, or more often with a short lock. */
const HEARTBEAT_MS = 5000;
const HEARTBEATS_PER_LOCK = 6;

/** Whether the queue has a job for every shard is checked this often. */
const RESTORE_EVERY_MS = 60_000;

/** A command to Redis that takes longer does not hold up `close`. */
const CLOSE_MS = 2000;

/** A process that polls its share of a fleet's stores. */
export interface FleetWorker {
  /**
   * Returns the shards, for other processes to take them at once, and stops the
   * fleet. Resolves when the listeners have ended, for at most 30 s, and what they
   * have handled is acknowledged.
   */
  close(): Promise<void>;
  /** Returns what this process holds, and how its stores are doing, without a request. */
  health(): FleetWorkerHealth;
  /** Closes the worker at the end of a block: `await using worker = fleetWorker(…)`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Polls the stores of a fleet together with other processes, which do the same
 * with the same stores, the same `redisState` and the same queue. Instead of `fleet.start()`.
 *
 * The stores are divided into shards by a hash of their ids. A shard is a job of
 * a BullMQ queue, and the process that has it polls its stores. Processes may
 * join, leave, be suspended and be killed.
 *
 * The first process ever, and any process after Redis has lost its data, waits
 * for `lockMs` before it polls: a process that Redis does not know may still be polling.
 *
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
  readonly #fleet: HubFleet;
  readonly #shards: number;
  readonly #lockMs: number;
  readonly #heartbeatMs: number;
  readonly #held: HeldShards;
  readonly #reports: Reports;
  readonly #holder: ShardHolder;
  readonly #connection: QueueConnection;
  readonly #queue: Queue;
  readonly #worker: ShardWorker;
  readonly #heartbeat: Heartbeat;
  #alive = 0;
  #restoredAt: Moment | undefined;
  /** When Redis last did not know this process any more. */
  #forgottenAt: Moment | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: FleetWorkerOptions) {
    const { fleet, connection, shards, lockMs, queueName } = resolveWorkerOptions(options);
    this.#fleet = fleet;
    this.#shards = shards;
    this.#lockMs = lockMs;
    this.#heartbeatMs = Math.min(HEARTBEAT_MS, Math.floor(lockMs / HEARTBEATS_PER_LOCK));
    this.#held = fleet.startShards(shards);
    this.#reports = new Reports(this.#held.report);
    this.#holder = new ShardHolder({ clock: this.#clock, lockMs, held: this.#held });
    // Processes with another number of shards must not share the queue: their shards have other stores.
    const name = `${queueName}-${shards}`;
    this.#connection = connectionFor(connection);
    try {
      this.#queue = new Queue(name, { connection: this.#connection.connection });
      this.#worker = new ShardWorker(name, {
        connection: this.#connection.connection,
        lockMs,
        checkMs: this.#heartbeatMs,
        holder: this.#holder,
      });
    } catch (cause) {
      this.#connection.close();
      void fleet.stop();
      throw new ConfigurationError('connection', `cannot be used: ${(cause as Error).message}`, { cause });
    }
    this.#heartbeat = new Heartbeat(this.#queue, this.#heartbeatMs);
    this.#queue.on('error', this.#reportQueue);
    this.#worker.on('error', this.#reportQueue);
    this.#held.signal.addEventListener('abort', () => void this.close());
    void this.#run();
  }

  health(): FleetWorkerHealth {
    return {
      ...polledHealth(this.#fleet),
      shards: this.#holder.held.length,
      alive: this.#alive,
      share: this.#alive === 0 ? 0 : shareOf(this.#shards, this.#alive),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(): Promise<void> {
    let isLoaded = false;
    while (!this.#closing) {
      try {
        // Not before the stores are known: a shard without its stores would not be polled.
        if (!isLoaded) await this.#held.load();
        isLoaded = true;
      } catch (error) {
        this.#reports.report(error);
      }
      // It may have been closed meanwhile: another heartbeat would count it for a while.
      if (isLoaded && !this.#closing) await this.#beat().catch(this.#reportQueue);
      if (!this.#closing) await this.#alarm.wait(this.#heartbeatMs);
    }
  }

  async #beat(): Promise<void> {
    const { alive, isNew } = await this.#heartbeat.beat();
    if (this.#closing) return;
    this.#reportLost();
    if (isNew && this.#alive > 0) this.#forgottenAt = momentOf(this.#clock);
    await this.#repeatWaits();
    this.#alive = alive;
    const share = shareOf(this.#shards, alive);
    await this.#worker.take(share);
    for (const run of excessOf(this.#holder.held, share)) run.end();
    await this.#restore(isNew);
    this.#reports.clear();
    if (!this.#worker.isRunning() && !this.#closing) this.#worker.run().catch(this.#reportQueue);
  }

  /**
   * Otherwise the next process with a shard would poll while the hub still counts
   * this one's polls. More than once, because this one polls until it has lost its locks.
   */
  async #repeatWaits(): Promise<void> {
    if (!this.#forgottenAt || elapsedMs(this.#forgottenAt, this.#clock) > this.#lockMs) return;
    await this.#held.repeatWaits();
  }

  async #restore(isDoubtful: boolean): Promise<void> {
    if (isDoubtful) this.#restoredAt = undefined;
    if (this.#restoredAt && elapsedMs(this.#restoredAt, this.#clock) < RESTORE_EVERY_MS) return;
    await restoreJobs(this.#queue, this.#shards, this.#lockMs);
    this.#restoredAt = momentOf(this.#clock);
  }

  #reportLost(): void {
    const lost = this.#holder.takeLost();
    if (lost === 0) return;
    this.#reports.report(
      new StateError(
        `${lost} shards were lost, because this process was suspended, or could not reach Redis, for too long; another process may poll their stores`,
      ),
    );
  }

  readonly #reportQueue = (cause: Error): void => {
    this.#reports.report(
      new StateError(`the queue of the shards in Redis failed: ${cause.message}`, { cause }),
    );
  };

  async #close(): Promise<void> {
    this.#alarm.wake();
    // First, so that the others make room.
    await within(this.#clock, CLOSE_MS, this.#heartbeat.end());
    await this.#worker.pause(true);
    // Waits for the jobs, also for one that is being fetched.
    const closed = this.#worker.close();
    await this.#holder.close();
    await this.#fleet.stop();
    if (!(await within(this.#clock, CLOSE_MS, Promise.all([closed, this.#queue.close()])))) {
      // Redis is away.
      for (const each of [this.#worker, this.#queue]) each.disconnect().catch(this.#reportQueue);
    }
    this.#connection.close();
  }
}
