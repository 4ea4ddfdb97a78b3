import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type FleetStore, HubFleet, type HubFleetOptions } from 'opendelivery-client';
import { fleetWorker, type WorkerConnection } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import { ManualClock, type MockHub } from 'opendelivery-client/testing';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { RedisServer, StartRedis } from '../../state/redis/server.js';
import { hubWith, stores } from '../support.js';

/** The stores of a worker that is given no others. */
export const TWELVE = stores(12);

export interface StartOptions extends Partial<HubFleetOptions> {
  /** Default: a hub of its own. */
  readonly mock?: MockHub;
  readonly connection?: WorkerConnection;
  /** Default: 4. */
  readonly shards?: number;
  /** Default: 1000. */
  readonly lockMs?: number;
}

/** The Redis of a suite, and workers as in processes of their own, except that all share this one. */
export function workersWith(startRedis: StartRedis) {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  /** A client of a test's own. */
  function clientOf(socketPath = redis.socketPath): Redis {
    const client = new Redis(socketPath);
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  }

  /** Its locks are real time, whatever the clock of its fleet is. */
  function start(queueName: string, options: StartOptions = {}) {
    const client = clientOf();
    const { mock = hubWith(TWELVE), connection = client, shards = 4, lockMs = 1000, ...ofFleet } = options;
    const fleet = new HubFleet({
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      stores: TWELVE,
      state: redisState(client, { prefix: `${queueName}:` }),
      logger: false,
      ...ofFleet,
    });
    const errors: string[] = [];
    fleet.on('event', () => {}).on('error', ({ message }) => void errors.push(message));
    const worker = fleetWorker({ fleet, connection, shards, lockMs, queueName });
    onTestFinished(async () => {
      const closed = Promise.all([fleet.stop({ timeoutMs: 0 }), worker.close()]);
      if (options.clock instanceof ManualClock) await options.clock.advance(0);
      await closed;
    });
    const pollsOf = ({ clientId }: FleetStore) =>
      mock.requests.filter((request) => request.endpoint === 'polling' && request.clientId === clientId);
    return { client, mock, fleet, worker, errors, pollsOf };
  }

  return { redis: () => redis, clientOf, start };
}

/** Waits in real time. @throws when it has not happened for 20 s. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 20 s');
    await pause(20);
  }
}
