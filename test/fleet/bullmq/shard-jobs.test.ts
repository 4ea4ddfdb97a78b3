import { describe, expect, it } from 'vitest';
import { isComplete, jobIdOf, jobsOf, shardOfJob } from '../../../src/fleet/bullmq/shard-jobs.js';

describe('the jobs of the shards', () => {
  it('have an id each and no data, and stay in the queue whatever happens', () => {
    const jobs = jobsOf(256, 30_000);
    expect(jobs).toHaveLength(256);
    expect(jobs[255]).toEqual({
      name: 'shard',
      data: {},
      opts: {
        jobId: 's255',
        delay: 30_000,
        attempts: Number.MAX_SAFE_INTEGER,
        backoff: { type: 'fixed', delay: 1000 },
        removeOnComplete: true,
        removeOnFail: true,
      },
    });
    expect(jobs.map((_, shard) => shardOfJob(jobIdOf(shard)))).toEqual(jobs.map((_, shard) => shard));
  });

  it('are complete if there are as many as shards, wherever they are', () => {
    expect(isComplete({ wait: 3, active: 250, delayed: 3 }, 256)).toBe(true);
    expect(isComplete({ wait: 3, active: 250, delayed: 2 }, 256)).toBe(false);
    expect(isComplete({}, 1)).toBe(false);
  });
});
