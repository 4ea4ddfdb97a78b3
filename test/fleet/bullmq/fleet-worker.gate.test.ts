import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type FleetStore, HubFleet, type HubFleetOptions } from 'opendelivery-client';
import { fleetWorker, type WorkerConnection } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWithRedis, type RedisServer } from '../../state/redis/server.js';
import { hubWith, stores } from '../support.js';

const SHARDS = 4;
const all = stores(12);

describeWithRedis('a fleet worker', (startRedis) => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  /** A client of a test's own; the state and the queue share it. */
  function clientOf(): Redis {
    const client = new Redis(redis.socketPath);
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  }

  function start(queueName: string, options: Partial<HubFleetOptions> = {}, connection?: WorkerConnection) {
    const client = clientOf();
    const mock = hubWith(all);
    const fleet = new HubFleet({
      baseUrl: mock.baseUrl,
      fetch: mock.fetch,
      stores: all,
      state: redisState(client, { prefix: `${queueName}:` }),
      logger: false,
      ...options,
    });
    const errors: string[] = [];
    fleet.on('event', () => {});
    fleet.on('error', ({ message }) => void errors.push(message));
    const worker = fleetWorker({
      fleet,
      connection: connection ?? client,
      shards: SHARDS,
      lockMs: 1000,
      queueName,
    });
    onTestFinished(() => worker.close());
    return { fleet, worker, errors };
  }

  async function until(isTrue: () => boolean): Promise<void> {
    const deadline = performance.now() + 20_000;
    while (!isTrue()) {
      if (performance.now() > deadline) throw new Error('it did not happen within 20 s');
      await pause(20);
    }
  }

  it.each([
    ['the client of ioredis that the state has too', async () => clientOf()],
    ['the options of an ioredis client', async () => ({ path: redis.socketPath })],
    [
      'a client of node-redis',
      async () => {
        const client = createClient({ socket: { path: redis.socketPath, tls: false } });
        await client.connect();
        onTestFinished(() => client.destroy());
        return client;
      },
    ],
  ])('takes %s', async (title, connect) => {
    const { worker, errors } = start(`takes ${title}`, {}, await connect());
    await until(() => worker.health().shards === SHARDS);
    expect(worker.health()).toMatchObject({ shards: SHARDS, alive: 1, share: SHARDS, stores: all.length });
    expect(worker.health()).toMatchObject({ polling: all.length, oldestPollStoreId: expect.any(String) });
    await worker.close();
    expect(worker.health()).toMatchObject({ shards: 0, stores: 0 });
    expect(errors).toEqual([]);
  });

  it('waits for a lock before its first poll ever, because Redis may have lost its data', async () => {
    const { worker } = start('waits');
    const from = performance.now();
    await until(() => worker.health().shards > 0);
    expect(performance.now() - from).toBeGreaterThan(990);
  });

  it('returns its shards when it is closed, so that another process takes them before their locks end', async () => {
    const one = start('returns');
    await until(() => one.worker.health().shards === SHARDS);
    const other = start('returns');
    await until(() => one.worker.health().shards === 2 && other.worker.health().shards === 2);
    const from = performance.now();
    await one.worker.close();
    await until(() => other.worker.health().shards === SHARDS);
    expect(performance.now() - from).toBeLessThan(900);
    expect([...one.errors, ...other.errors]).toEqual([]);
  });

  it('sends no heartbeat when it is closed while its stores are read', async () => {
    const reading: { stores?: (stores: readonly FleetStore[]) => void } = {};
    const slow = () =>
      new Promise<readonly FleetStore[]>((resolve) => Object.assign(reading, { stores: resolve }));
    const one = start('closed early', { stores: slow });
    await until(() => reading.stores !== undefined);
    const closed = one.worker.close();
    reading.stores?.(all);
    await closed;
    const other = start('closed early');
    await until(() => other.worker.health().alive > 0);
    expect(other.worker.health().alive).toBe(1);
  });

  it('is closed when its fleet is stopped', async () => {
    const one = start('stopped');
    await until(() => one.worker.health().shards === SHARDS);
    await one.fleet.stop();
    const other = start('stopped');
    await until(() => other.worker.health().shards === SHARDS);
    expect(other.worker.health().alive).toBe(1);
  });

  it('tries again if the stores cannot be read, and takes no shard before', async () => {
    let isAway = true;
    const { worker, errors } = start('stores', {
      stores: async () => {
        if (isAway) throw new Error('the database is away');
        return all;
      },
    });
    await until(() => errors.length > 0);
    await pause(1500);
    expect([worker.health().shards, errors]).toEqual([0, ['the database is away']]);
    isAway = false;
    await until(() => worker.health().stores === all.length);
  });

  it('restores the jobs of the shards when Redis has lost its data', async () => {
    const { worker } = start('restores');
    await until(() => worker.health().shards === SHARDS);
    await clientOf().flushall();
    await until(() => worker.health().shards === 0);
    await until(() => worker.health().shards === SHARDS);
    expect(worker.health()).toMatchObject({ shards: SHARDS, alive: 1 });
  });

  it('keeps no secret and no store in the queue', async () => {
    const { worker } = start('secrets');
    await until(() => worker.health().shards === SHARDS);
    await worker.close();
    const client = clientOf();
    const keys = await client.keys('bull:secrets-4:s?');
    expect(keys).toHaveLength(SHARDS);
    for (const key of keys) {
      expect(JSON.parse((await client.hget(key, 'data')) ?? '')).toEqual({ polledUntil: expect.any(Number) });
    }
  });
});
