import { type ConnectionOptions, Worker } from 'bullmq';
import type { ShardHolder } from './shard-holder.js';

export interface ShardWorkerOptions {
  readonly connection: ConnectionOptions;
  readonly lockMs: number;
  /** How often locks that have ended are looked for, in ms. */
  readonly checkMs: number;
  readonly holder: ShardHolder;
}

/** BullMQ's worker, which fetches the jobs of shards, renews their locks and finds those of processes that have died. */
export class ShardWorker extends Worker {
  readonly #holder: ShardHolder;

  constructor(queueName: string, { connection, lockMs, checkMs, holder }: ShardWorkerOptions) {
    super(queueName, (job, token) => holder.process(job, token as string), {
      connection,
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: checkMs,
      // Counted over the whole life of a job, which for a shard has no end.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1000,
    });
    this.#holder = holder;
  }

  /** BullMQ tells when a reply has come; a lock counts from when the request was sent. */
  override async extendJobLocks(jobIds: string[], tokens: string[], lockMs: number): Promise<string[]> {
    await this.#holder.renew(jobIds, tokens, () => super.extendJobLocks(jobIds, tokens, lockMs));
    return [];
  }

  /** How many shards this process takes. */
  async take(shards: number): Promise<void> {
    const isMore = shards > this.concurrency;
    this.concurrency = shards;
    if (!isMore || !this.isRunning()) return;
    // A greater number alone would be noticed seconds later.
    await this.pause(true);
    await this.resume();
  }
}
