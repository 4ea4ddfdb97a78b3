import { expect } from 'vitest';
import { itWithRedis } from '../state/redis/server.js';
import { crash } from './crash.js';

itWithRedis(
  'a process that is killed (SIGKILL) five times while it handles events loses nothing with its state in Redis',
  async (startRedis) => {
    const redis = await startRedis();
    try {
      const report = await crash(2, 5, redis);
      expect(report.breaches).toEqual([]);
      expect(report.events).toBeGreaterThan(20);
    } finally {
      await redis.close();
    }
  },
  120_000,
);
