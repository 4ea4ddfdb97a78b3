import { type ConnectionOptions, Worker } from 'bullmq';
import type { ShardProcessor } from './shard-processor.js';

interface ShardWorkerOptions {
  readonly connection: ConnectionOptions;
  readonly lockMs: number;
  /** How often locks that have ended are looked for, in ms. */
  readonly checkMs: number;
  readonly processor: ShardProcessor;
}

/** BullMQ's worker, which fetches the jobs of shards, renews their locks and finds those of processes that have died. */
export class ShardWorker extends Worker {
  readonly #processor: ShardProcessor;

  constructor(queueName: string, { connection, lockMs, checkMs, processor }: ShardWorkerOptions) {
    super(queueName, (job, token) => processor.process(job, token as string), {
      connection,
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: checkMs,
      // Counted over the whole life of a job, which for a shard has no end.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      runRetryDelay: 1000,
    });
    this.#processor = processor;
  }

  /** BullMQ emits when a reply has come; a lock counts from when the request was sent. */
  override async extendJobLocks(jobIds: string[], tokens: string[], lockMs: number): Promise<string[]> {
    await this.#processor.renewLocks(jobIds, tokens, () => super.extendJobLocks(jobIds, tokens, lockMs));
    return [];
  }

  /** From now on, it has at most this many jobs at a time. */
  async take(shards: number): Promise<void> {
    // BullMQ has no concurrency of 0.
    if (shards === 0) {
      await this.pause(true);
      return;
    }
    const isMore = shards > this.concurrency;
    this.concurrency = shards;
    // A greater number alone would be noticed seconds later.
    if (isMore && this.isRunning()) await this.pause(true);
    if (this.isPaused()) await this.resume();
    else if (!this.isRunning()) this.run().catch((error) => this.emit('error', error));
  }
}
