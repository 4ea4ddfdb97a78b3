import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasRedis, REDIS_MISSING, startRedis } from '../state/redis/server.js';
import { crash } from './crash.js';

describe('a process that is killed (SIGKILL) while it handles events', () => {
  it('loses nothing with its state in files, five kills', async () => {
    const report = await crash(1, 5, (folder) => ({ kind: 'file', directory: join(folder, 'state') }));
    expect(report.breaches).toEqual([]);
    expect(report.events).toBeGreaterThan(20);
  }, 120_000);

  it.skipIf(!hasRedis())(
    `loses nothing with its state in Redis, five kills${REDIS_MISSING}`,
    async () => {
      const redis = await startRedis();
      try {
        const report = await crash(2, 5, () => ({ kind: 'redis', socketPath: redis.socketPath }));
        expect(report.breaches).toEqual([]);
        expect(report.events).toBeGreaterThan(20);
      } finally {
        await redis.close();
      }
    },
    120_000,
  );
});
