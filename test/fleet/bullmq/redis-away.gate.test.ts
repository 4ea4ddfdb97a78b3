import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { HubFleet } from 'opendelivery-client';
import { fleetWorker } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import { expect, onTestFinished } from 'vitest';
import { itWithRedis } from '../../state/redis/server.js';
import { hubWith, stores } from '../support.js';

itWithRedis(
  'a worker whose Redis is away holds no shard when its lock is over, says so once, and can be closed',
  async (startRedis) => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    const client = new Redis(redis.socketPath);
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    const all = stores(12);
    const mock = hubWith(all);
    const fleet = new HubFleet({
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      stores: all,
      state: redisState(client),
      logger: false,
    });
    const errors: string[] = [];
    fleet.on('event', () => {});
    fleet.on('error', ({ message }, { storeId }) => storeId === undefined && errors.push(message));
    const worker = fleetWorker({ fleet, connection: client, shards: 4, lockMs: 1000 });
    while (worker.health().shards < 4) await pause(20);
    await redis.kill();
    await pause(1100);
    expect(worker.health()).toMatchObject({ shards: 0, stores: 0 });
    const polls = mock.requests.length;
    await pause(3000);
    expect(mock.requests).toHaveLength(polls);
    expect(errors).toEqual([
      expect.stringMatching(/^the queue of the shards in Redis failed: connect (?:ECONNREFUSED|ENOENT)/),
    ]);
    const from = performance.now();
    await worker.close();
    console.log(`closed in ${Math.round(performance.now() - from)} ms while Redis is away`);
    expect(performance.now() - from).toBeLessThan(15_000);
  },
);
