import { expect } from 'vitest';
import { crash } from '../crash/crash.js';
import { itWithRedis } from '../state/redis/server.js';
import { printFigures } from './figures.js';

itWithRedis(
  '150 kills (SIGKILL) lose nothing with the state in Redis',
  async (startRedis) => {
    const redis = await startRedis();
    try {
      const { breaches, ...figures } = await crash(2000, 150, redis);
      printFigures('kills with the state in Redis', figures);
      expect(breaches).toEqual([]);
    } finally {
      await redis.close();
    }
  },
  1_800_000,
);
