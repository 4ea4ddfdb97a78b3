import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from 'redis';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithRedis } from '../../state/redis/server.js';
import { until, workersWith } from './support.js';

describeWithRedis('a worker whose Redis is away', (startRedis) => {
  const { redis, start } = workersWith(startRedis);

  it('has its shards again after Redis has lost its data and the scripts, over node-redis', async () => {
    const connection = createClient({ socket: { path: redis().socketPath, tls: false } });
    connection.on('error', () => {});
    await connection.connect();
    onTestFinished(() => connection.destroy());
    const { client, worker } = start('lost', { connection });
    await until(() => worker.health().shards === 4);
    await client.multi().flushall().script('FLUSH').exec();
    await until(() => worker.health().shards === 0);
    await until(() => worker.health().shards === 4);
    expect(worker.health()).toMatchObject({ alive: 1, share: 4 });
  });

  it('holds no shard when its lock is over, says so once, and can be closed', async () => {
    const { mock, worker, errors } = start('away');
    await until(() => worker.health().shards === 4);
    await redis().kill();
    await pause(1100);
    expect(worker.health().shards).toBe(0);
    const polls = mock.requests.length;
    await until(() => worker.health().stores === 0);
    await pause(3000);
    expect(mock.requests).toHaveLength(polls);
    const ofQueue = errors.filter((message) => message.includes('queue'));
    expect(ofQueue).toContainEqual(
      expect.stringMatching(/^the queue of the shards in Redis failed: connect (?:ECONNREFUSED|ENOENT)/),
    );
    // A broken connection may have another text; each comes once.
    expect(ofQueue).toEqual([...new Set(ofQueue)]);
    const from = performance.now();
    await worker.close();
    console.log(`closed in ${Math.round(performance.now() - from)} ms while Redis is away`);
    expect(performance.now() - from).toBeLessThan(15_000);
  });
});
