import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisState } from 'opendelivery-client/redis';
import { createClient } from 'redis';
import { expect, it, onTestFinished } from 'vitest';
import { densest, requestsTo, stage } from '../../support.js';
import { temporaryDirectory } from '../../temporary.js';
import { expectNotBlocked, expectSurvived } from '../survives.js';
import { describeWithRedis, type RedisServer, type StartRedis } from './server.js';

async function serverFrom(startRedis: StartRedis): Promise<RedisServer> {
  const redis = await startRedis();
  onTestFinished(async () => void (await redis.close()));
  return redis;
}

function ioredis(path: string, options: object = {}): Redis {
  const client = new Redis(path, { retryStrategy: () => 20, ...options });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** Not Node's `once`, which the errors on the way would reject. */
function next(client: Redis, name: 'ready' | 'close'): Promise<void> {
  return new Promise((resolve) => client.once(name, () => resolve()));
}

describeWithRedis('a Redis that is down', (startRedis) => {
  it('stops the polls until it is back; no event is lost, handled twice or acknowledged unhandled', async () => {
    const redis = await serverFrom(startRedis);
    const client = ioredis(redis.socketPath);
    const kill = async () => {
      const closed = next(client, 'close');
      await redis.kill();
      await closed;
      return async () => {
        const ready = next(client, 'ready');
        await redis.restart();
        await ready;
      };
    };
    const created = await expectSurvived(() => redisState(client), kill, /did not answer mark/);
    // The mark was written when Redis was back, so that other processes find it.
    const names = await client.keys('opendelivery:events:*');
    const marks = await Promise.all(names.map((name) => client.zrange(name, '0', '-1')));
    expect(marks.flat().map((key) => key.split('#')[0])).toContain(created[1]);
  });

  it('and comes back empty does not make this process break the limits', async () => {
    const redis = await serverFrom(startRedis);
    const client = ioredis(redis.socketPath);
    const { clock, mock, hub } = stage({}, { state: redisState(client) });
    // Virtual time waits for a reply of Redis, not for the first connection to it.
    await next(client, 'ready');
    for (let round = 0; round < 5; round += 1) {
      for (const call of [hub.events.poll(), hub.events.poll(), hub.events.poll()]) call.catch(() => {});
      await clock.advance('5s');
      const ready = next(client, 'ready');
      await redis.restart();
      await ready;
    }
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    expect(mock.violations()).toEqual([]);
  });

  it.each([
    [
      'ioredis, which queues commands until there is a connection',
      (path: string) => ioredis(path, { maxRetriesPerRequest: null }),
    ],
    [
      'ioredis, which does not queue commands',
      (path: string) => ioredis(path, { enableOfflineQueue: false }),
    ],
    [
      'node-redis, which queues commands until there is a connection',
      (path: string) => {
        const client = createClient({ socket: { path, tls: false, reconnectStrategy: () => 20 } });
        client.on('error', () => {});
        client.connect().catch(() => {});
        onTestFinished(() => client.destroy());
        return client;
      },
    ],
    ['node-redis without connect()', (path: string) => createClient({ socket: { path, tls: false } })],
  ])('from the beginning does not block a client: %s', async (_which, connect) => {
    const folder = temporaryDirectory();
    await expectNotBlocked(redisState(connect(join(folder, 'nobody'))));
  });
});
