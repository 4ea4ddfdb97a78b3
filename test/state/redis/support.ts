import { Redis } from 'ioredis';
import type { Clock, State } from 'opendelivery-client';
import { type NodeRedisClient, type RedisClient, redisState } from 'opendelivery-client/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { RedisServer, StartRedis } from './server.js';

/** A client of each library, connected to the suite's server. */
export interface Clients {
  readonly server: RedisServer;
  readonly ioredis: Redis;
  readonly nodeRedis: Awaited<ReturnType<typeof connectNodeRedis>>;
}

/** One server per suite, emptied before each test. Call this in a `describe`. */
export function redisForSuite(startRedis: StartRedis): Clients {
  let clients: Clients;
  beforeAll(async () => {
    const server = await startRedis();
    const ioredis = new Redis(server.socketPath);
    ioredis.on('error', () => {});
    clients = { server, ioredis, nodeRedis: await connectNodeRedis(server.socketPath) };
  });
  beforeEach(() => clients.ioredis.flushall());
  afterAll(async () => {
    clients.ioredis.disconnect();
    clients.nodeRedis.destroy();
    await clients.server.close();
  });
  return {
    get server() {
      return clients.server;
    },
    get ioredis() {
      return clients.ioredis;
    },
    get nodeRedis() {
      return clients.nodeRedis;
    },
  };
}

async function connectNodeRedis(path: string) {
  const client = createClient({ socket: { path, tls: false } });
  client.on('error', () => {});
  return client.connect();
}

/** A Redis state that uses the test's clock: the call of TIME in its scripts is replaced by the time of that clock. */
export function redisStateAt(clients: Clients, clock: Clock, prefix = 'opendelivery:'): State {
  const client: NodeRedisClient = {
    evalSha: () => Promise.reject(new Error('NOSCRIPT')),
    eval: (script, options) => {
      const now = clock.now();
      const time = `{'${Math.floor(now / 1000)}', '${(now % 1000) * 1000}'}`;
      return clients.nodeRedis.eval(script.replace("redis.call('TIME')", time), options);
    },
  };
  return redisState(client satisfies RedisClient, { prefix });
}
