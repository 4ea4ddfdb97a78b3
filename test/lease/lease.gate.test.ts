import { describe, expect, it } from 'vitest';
import { describeWithRedis } from '../state/redis/server.js';
import { interrupt } from './interrupt.js';
import { FACTOR, type SharedState } from './pack.js';
import { INTERVAL_MS, LEASE_MS } from './phase.js';
import { roll } from './roll.js';
import { suspend } from './suspend.js';

/** Half a second of a busy machine, in scaled time: other tests run beside these. The long versions run alone, without it. */
const BUSY_MS = FACTOR * 500;

type WithShared = <T>(work: (shared: SharedState) => Promise<T>) => Promise<T>;

describeWithRedis('four processes with one store and one Redis', (startRedis) => {
  const withRedis: WithShared = async (work) => {
    const redis = await startRedis();
    try {
      return await work(redis);
    } finally {
      await redis.close();
    }
  };

  itKeepsOneHolder(withRedis);

  it('leave the database correct if one is stopped for longer than the lease and writes check the fence', async () => {
    const report = await withRedis((redis) => suspend(redis, 1, 1));
    expect(report.breaches).toEqual([]);
    expect(report.overlaps).toBeGreaterThan(0);
    expect(report.refusedWrites).toBeGreaterThan(0);
  });

  it('miss at most one poll while they are replaced one by one', async () => {
    const report = await withRedis((redis) => roll(redis, 1));
    expect(report.breaches).toEqual([]);
    // Two missed polls make three intervals; the rest is for delays of a busy machine, which are long in scaled time.
    expect(report.gapMs.max).toBeLessThan(2.5 * INTERVAL_MS);
  });
});

describe('four processes with one store and one file', () => {
  itKeepsOneHolder((work) => work('file'));
});

function itKeepsOneHolder(withShared: WithShared): void {
  it('never run one event twice at the same time, whichever is killed or stopped for less than the lease', async () => {
    const counts = { kills: 1, standbyKills: 1, stops: 1 };
    const report = await withShared((shared) => interrupt(shared, 1, counts));
    expect(report.breaches).toEqual([]);
    expect(report.refusedWrites).toBe(0);
    expect(report.takeOverMs.p99).toBeLessThanOrEqual(LEASE_MS + INTERVAL_MS + BUSY_MS);
  });
}
