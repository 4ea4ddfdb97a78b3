import type { JobsOptions, Queue } from 'bullmq';

/** Where a job of the queue can be. */
const STATES = ['wait', 'active', 'delayed', 'prioritized', 'failed', 'completed'] as const;

/** BullMQ counts attempts over the whole life of a job, which for a shard has no end. */
const FOR_EVER = Number.MAX_SAFE_INTEGER;

const OPTIONS: JobsOptions = {
  attempts: FOR_EVER,
  backoff: { type: 'fixed', delay: 1000 },
  // A job that stayed in the queue as failed could not be added again.
  removeOnFail: true,
};

export const jobIdOf = (shard: number): string => `s${shard}`;

export const shardOfJob = (jobId: string): number => Number(jobId.slice(1));

/**
 * The queue's jobs, one for each shard. They carry no data.
 *
 * @param delayMs - as long as a lock: if Redis has lost its data, a process that it
 * has forgotten may still hold the shard.
 */
export const jobsOf = (shards: number, delayMs: number) =>
  Array.from({ length: shards }, (_, shard) => ({
    name: 'shard',
    data: {},
    opts: { ...OPTIONS, jobId: jobIdOf(shard), delay: delayMs },
  }));

/** Adds the jobs that the queue does not have: at the first start, or because Redis has lost its data. */
export async function restoreJobs(queue: Queue, shards: number, lockMs: number): Promise<void> {
  if ((await queue.getJobCountByTypes(...STATES)) >= shards) return;
  await queue.addBulk(jobsOf(shards, lockMs));
}
