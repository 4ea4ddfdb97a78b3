import { DelayedError, type Job, WaitingError } from 'bullmq';
import { type Clock, type Moment, momentOf } from '../../clock.js';
import type { HeldShards } from '../assignment.js';
import { shardOfJob } from './shard-jobs.js';
import { ShardRun } from './shard-run.js';
import { within } from './within.js';

/** Listeners of a shard that is returned have this long to end, as in `stop`. */
const DRAIN_MS = 30_000;

/** A command to Redis that takes longer is not waited for. */
const COMMAND_MS = 2000;

/** A shard that this process still has from an earlier run is offered again after this time. */
const OFFER_AGAIN_MS = 200;

export interface ShardHolderOptions {
  readonly clock: Clock;
  readonly lockMs: number;
  readonly held: HeldShards;
}

/** What this process does with the jobs it gets: it polls the stores of a shard while it has the job's lock. */
export class ShardHolder {
  readonly #options: ShardHolderOptions;
  /** By the id of the job. */
  readonly #runs = new Map<string, ShardRun>();
  readonly #work = new Set<Promise<never>>();
  #isClosing = false;
  /** Shards that were lost since `takeLost`. */
  #lost = 0;

  constructor(options: ShardHolderOptions) {
    this.#options = options;
  }

  /** Those that are held, in the order in which they came. */
  get held(): ShardRun[] {
    return [...this.#runs.values()].filter((run) => run.isHeld);
  }

  /** How many shards were lost since the last call. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  /** Returns every shard, and each one that still comes. Resolves when their listeners have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const run of this.#runs.values()) run.end();
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
    const earlier = this.#runs.get(jobId);
    if (earlier) {
      // BullMQ knows a lock by the job only: when the earlier run ends, it forgets to renew the later one's.
      earlier.lose();
      await job.moveToDelayed(clock.now() + OFFER_AGAIN_MS, token);
      throw new DelayedError();
    }
    const run = new ShardRun(shardOfJob(jobId), token, clock, lockMs);
    this.#runs.set(jobId, run);
    if (!this.#isClosing) await this.#hold(run, job);
    await within(clock, COMMAND_MS, this.#handOver(run, job));
    this.#runs.delete(jobId);
    throw new WaitingError();
  }

  /**
   * Renews locks.
   *
   * @param renew - the request to Redis; gives the jobs whose locks this process does not have.
   */
  async renew(
    jobIds: readonly string[],
    tokens: readonly string[],
    renew: () => Promise<string[]>,
  ): Promise<void> {
    const sentAt = momentOf(this.#options.clock);
    const runs = jobIds.map((jobId, index) => {
      const run = this.#runs.get(jobId);
      return run?.token === tokens[index] ? run : undefined;
    });
    const refused = new Set(await renew());
    jobIds.forEach((jobId, index) => {
      if (refused.has(jobId)) runs[index]?.lose();
      else runs[index]?.renewed(sentAt);
    });
  }

  async #hold(run: ShardRun, job: Job): Promise<void> {
    const { clock, held, lockMs } = this.#options;
    // When the lock began, only Redis knows. From here on it is known here too.
    const sentAt: Moment = momentOf(clock);
    const renewed = await job.extendLock(run.token, lockMs).catch(() => 0);
    if (renewed === 1) run.renewed(sentAt);
    if (!run.isHeld) return;
    held.hold(run.shard, () => run.mayPoll, polledUntil(job));
    await run.over();
    if (run.isLost) this.#lost += 1;
    // The leases of the stores keep other processes from what still runs here.
    await held.release(run.shard, run.isLost ? Number.POSITIVE_INFINITY : DRAIN_MS);
  }

  /** Otherwise the shard would come back only when its lock has ended. Fails if the lock is lost. */
  async #handOver(run: ShardRun, job: Job): Promise<void> {
    if (!run.isLost && run.endedAt !== undefined) await job.updateData({ polledUntil: run.endedAt });
    await job.moveToWait(run.token);
  }
}

/** When the process before this one sent its last poll, in epoch ms, if it has returned the shard. */
function polledUntil({ data }: Job): number | undefined {
  const instant: unknown = data?.polledUntil;
  return typeof instant === 'number' ? instant : undefined;
}
