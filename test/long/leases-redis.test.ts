import { expect } from 'vitest';
import { interrupt } from '../lease/interrupt.js';
import { INTERVAL_MS, LEASE_MS } from '../lease/phase.js';
import { roll } from '../lease/roll.js';
import { suspend } from '../lease/suspend.js';
import { itWithRedis } from '../state/redis/server.js';
import { printFigures } from './figures.js';

const COUNTS = { kills: 100, standbyKills: 15, stops: 50 };

itWithRedis(
  'four processes of one store never run one event twice at the same time: 115 kills, 50 short stops',
  async (startRedis) => {
    const redis = await startRedis();
    try {
      const { breaches, takeOverMs, refusedWrites, figures } = await interrupt(redis, 3000, COUNTS);
      printFigures('leases, kills and stops', { takeOverMs, refusedWrites, ...figures });
      expect(breaches).toEqual([]);
      expect(refusedWrites).toBe(0);
      expect(takeOverMs.p99).toBeLessThanOrEqual(LEASE_MS + INTERVAL_MS);
    } finally {
      await redis.close();
    }
  },
  1_800_000,
);

itWithRedis(
  'the fence keeps the database correct through 12 stops that are longer than the lease',
  async (startRedis) => {
    const redis = await startRedis();
    try {
      const { breaches, overlaps, refusedWrites, figures } = await suspend(redis, 3001, 12);
      printFigures('leases, long stops', { overlaps, refusedWrites, ...figures });
      expect(breaches).toEqual([]);
      expect(overlaps).toBeGreaterThan(0);
      expect(refusedWrites).toBeGreaterThan(0);
    } finally {
      await redis.close();
    }
  },
  600_000,
);

itWithRedis(
  'five rolling restarts of four processes miss at most one poll each',
  async (startRedis) => {
    const redis = await startRedis();
    try {
      const { breaches, gapMs, figures } = await roll(redis, 5);
      printFigures('leases, rolling restarts', { gapMs, ...figures });
      expect(breaches).toEqual([]);
      // Each new process is ready before the old one gets SIGTERM: its start delays no poll.
      expect(gapMs.max).toBeLessThanOrEqual(2 * INTERVAL_MS);
    } finally {
      await redis.close();
    }
  },
  600_000,
);
