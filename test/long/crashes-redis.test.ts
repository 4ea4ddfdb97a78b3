import { expect } from 'vitest';
import { crash } from '../crash/crash.js';
import { itWithRedis } from '../state/redis/server.js';

itWithRedis(
  '150 kills (SIGKILL) lose nothing with the state in Redis',
  async (startRedis) => {
    const redis = await startRedis();
    try {
      const { breaches, ...figures } = await crash(2000, 150, () => ({
        kind: 'redis',
        socketPath: redis.socketPath,
      }));
      expect(breaches).toEqual([]);
      console.log('state in Redis:', JSON.stringify(figures));
    } finally {
      await redis.close();
    }
  },
  1_800_000,
);
