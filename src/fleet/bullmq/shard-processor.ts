import { DelayedError, type Job, type JobsOptions, type Queue, WaitingError } from 'bullmq';
import { StateError } from '../../errors/index.js';
import { type Clock, momentOf } from '../../time/clock.js';
import { Alarm, withinTime } from '../../time/timer.js';
import type { ShardPolling } from '../shard-polling.js';
import { AssignedShard } from './assigned-shard.js';

/** Listeners of a shard that is returned or lost have this long to end, as in `stop`. */
const DRAIN_MS = 30_000;

/** After this time the shard is handed over, although listeners still run: their stores keep their leases, and the others need not wait. */
const HAND_OVER_MS = 1000;

/** A shard that this process still has from an earlier job is offered again after this time. */
const OFFER_AGAIN_MS = 200;

/** Commands to Redis that take longer are not waited for. */
const COMMAND_MS = 2000;

/** Where a job of the queue can be. */
const STATES = ['wait', 'active', 'delayed', 'prioritized', 'failed', 'completed'] as const;

const JOB_OPTIONS: JobsOptions = {
  // BullMQ counts attempts over the whole life of a job, which for a shard has no end.
  attempts: Number.MAX_SAFE_INTEGER,
  backoff: { type: 'fixed', delay: 1000 },
  // A job that stayed in the queue as failed could not be added again.
  removeOnFail: true,
};

/**
 * Adds the jobs, one for each shard, that the queue does not have: at the first start, or because Redis has lost its
 * data. They are delayed as long as a lock: a process that Redis has forgotten may still poll.
 */
export async function restoreJobs(queue: Queue, shards: number, lockMs: number): Promise<void> {
  if ((await queue.getJobCountByTypes(...STATES)) >= shards) return;
  const optionsOf = (shard: number) => ({ ...JOB_OPTIONS, jobId: `s${shard}`, delay: lockMs });
  // Alone: in a transaction over node-redis, BullMQ cannot send a script that Redis does not have any more.
  await queue.add('shard', {}, optionsOf(0));
  await queue.addBulk(
    Array.from({ length: shards }, (_, shard) => ({ name: 'shard', data: {}, opts: optionsOf(shard) })),
  );
}

/** @throws what the commands to Redis throw, or that it does not respond in time. */
export const awaitRedis = <T>(clock: Clock, commands: () => Promise<T>): Promise<T> =>
  withinTime(clock, COMMAND_MS, commands, () => new StateError('Redis does not respond'));

const shardOfJob = (jobId: string): number => Number(jobId.slice(1));

/**
 * When the process before this one has returned the shard, in epoch ms; 0: it was killed or has lost the shard;
 * undefined: there was none.
 */
function polledUntil({ data, attemptsStarted }: Job): number | undefined {
  const instant: unknown = data?.polledUntil;
  if (typeof instant === 'number') return instant;
  return attemptsStarted > 1 ? 0 : undefined;
}

interface ShardProcessorOptions {
  readonly clock: Clock;
  readonly lockMs: number;
  readonly polling: ShardPolling;
}

/** What this process does with the jobs it gets: it polls the stores of a shard while it has the job's lock. */
export class ShardProcessor {
  readonly #options: ShardProcessorOptions;
  /** By the id of the job. */
  readonly #shards = new Map<string, AssignedShard>();
  readonly #work = new Set<Promise<never>>();
  #isClosing = false;
  #lost = 0;

  constructor(options: ShardProcessorOptions) {
    this.#options = options;
  }

  /** The shards that this process polls, in the order in which they came. */
  get assigned(): AssignedShard[] {
    return [...this.#shards.values()].filter(({ isAssigned }) => isAssigned);
  }

  /** How many shards were lost since the last call. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** Returns every shard, and each one that still comes. Resolves when they are handed over. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const assigned of this.#shards.values()) assigned.end();
    await Promise.allSettled(this.#work);
  }

  /** The work of a job. It ends with an error by which BullMQ knows that the job stays in the queue. */
  async process(job: Job, token: string): Promise<never> {
    const work = this.#process(job, token);
    this.#work.add(work);
    try {
      return await work;
    } finally {
      this.#work.delete(work);
    }
  }

  async #process(job: Job, token: string): Promise<never> {
    const { clock, lockMs } = this.#options;
    const jobId = job.id as string;
    const earlier = this.#shards.get(jobId);
    if (earlier) {
      // BullMQ knows a lock by the job only: when the earlier work ends, it forgets to renew the later one's.
      earlier.lose();
      await job.moveToDelayed(clock.now() + OFFER_AGAIN_MS, token);
      throw new DelayedError();
    }
    const assigned = new AssignedShard(shardOfJob(jobId), token, clock, lockMs);
    this.#shards.set(jobId, assigned);
    if (!this.#isClosing) await this.#poll(assigned, job);
    await awaitRedis(clock, () => this.#handOver(assigned, job)).catch(() => {});
    this.#shards.delete(jobId);
    throw new WaitingError();
  }

  /**
   * Renews locks.
   *
   * @param renew - the request to Redis; returns the jobs whose locks this process does not have.
   */
  async renewLocks(
    jobIds: readonly string[],
    tokens: readonly string[],
    renew: () => Promise<string[]>,
  ): Promise<void> {
    const sentAt = momentOf(this.#options.clock);
    const shards = jobIds.map((jobId, index) => {
      const assigned = this.#shards.get(jobId);
      return assigned?.token === tokens[index] ? assigned : undefined;
    });
    const refused = new Set(await renew());
    jobIds.forEach((jobId, index) => {
      if (refused.has(jobId)) shards[index]?.lose();
      else shards[index]?.renewed(sentAt);
    });
  }

  async #poll(assigned: AssignedShard, job: Job): Promise<void> {
    const { clock, polling, lockMs } = this.#options;
    // When the lock began, only Redis knows. From here on it is known here too.
    const sentAt = momentOf(clock);
    const renewed = await job.extendLock(assigned.token, lockMs).catch(() => 0);
    if (renewed === 1) assigned.renewed(sentAt);
    if (!assigned.isAssigned) return;
    polling.assign(assigned.shard, () => assigned.mayPoll, polledUntil(job));
    await assigned.untilEnded();
    if (assigned.isLost) this.#lost += 1;
    // `close` has a time limit of its own.
    const drained = polling.unassign(assigned.shard, this.#isClosing ? Number.POSITIVE_INFINITY : DRAIN_MS);
    const alarm = new Alarm(clock);
    void drained.then(() => alarm.wake());
    await alarm.wait(HAND_OVER_MS);
  }

  /** Otherwise the shard would come back only when its lock has ended. Fails if the lock is lost. */
  async #handOver(assigned: AssignedShard, job: Job): Promise<void> {
    if (!assigned.isLost && assigned.endedAt !== undefined) {
      await job.updateData({ polledUntil: assigned.endedAt });
    }
    await job.moveToWait(assigned.token);
  }
}
