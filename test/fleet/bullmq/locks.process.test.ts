import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type FleetStore, type HubFleetOptions, memoryState } from 'opendelivery-client';
import { fleetWorker } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import { ManualClock } from 'opendelivery-client/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWithRedis, type RedisServer } from '../../state/redis/server.js';
import { caught, fleetOf, hubWith, stores } from '../support.js';

/** Longer where a test waits for a moment within the lock. */
const LOCK_MS = 1000;
const LONG_LOCK_MS = 2000;

describeWithRedis('the locks of a fleet worker', (startRedis) => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  function clientOf(): Redis {
    const client = new Redis(redis.socketPath);
    client.on('error', () => {});
    onTestFinished(() => client.disconnect());
    return client;
  }

  /** A worker of one shard whose locks are real time, and whose fleet has a clock that the test moves. */
  async function holding(
    queueName: string,
    count: number,
    options: () => Partial<HubFleetOptions>,
    lockMs = LOCK_MS,
  ) {
    const client = clientOf();
    const clock = new ManualClock();
    const all = stores(count);
    const mock = hubWith(all, { clock });
    const { fleet } = fleetOf(mock, { clock, stores: all, ...options() });
    const errors: string[] = [];
    fleet.on('event', () => {}).on('error', ({ message }) => void errors.push(message));
    const worker = fleetWorker({ fleet, connection: client, shards: 1, lockMs, queueName });
    onTestFinished(() => worker.close());
    await until(() => worker.health().shards === 1);
    const pollsOf = ({ clientId }: FleetStore) =>
      mock.requests.filter((request) => request.endpoint === 'polling' && request.clientId === clientId);
    return { client, clock, all, mock, worker, errors, pollsOf };
  }

  async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + 20_000;
    while (!(await isTrue())) {
      if (performance.now() > deadline) throw new Error('it did not happen within 20 s');
      await pause(20);
    }
  }

  it('are renewed: a process keeps its shard for longer than a lock', async () => {
    const { worker, errors } = await holding('renewed', 3, () => ({ state: memoryState() }));
    const end = performance.now() + 2 * LOCK_MS;
    await until(() => worker.health().shards === 0 || performance.now() > end);
    expect(worker.health()).toMatchObject({ shards: 1, stores: 3 });
    expect(errors).toEqual([]);
  });

  it('that end while stores wait for a place do not leave these without polls when they are renewed', async () => {
    const oneAtATime = () => ({ state: memoryState(), requestsInFlight: 1 });
    const { client, clock, all, mock, pollsOf } = await holding('waits', 6, oneAtATime, LONG_LOCK_MS);
    await clock.advance('31s');
    mock.faults.next('polling', { type: 'latency', ms: 28_000 });
    await clock.advance('26s');
    const before = all.map((store) => pollsOf(store).length);
    await until(async () => (await client.pttl('bull:waits-1:s0:lock')) > 0.95 * LONG_LOCK_MS);
    redis.freeze();
    // In its last quarter a lock allows no poll.
    await pause(0.85 * LONG_LOCK_MS);
    await clock.advance('13s');
    redis.resume();
    const unpolled = () => all.filter((store, index) => pollsOf(store).length === before[index]);
    await until(async () => {
      await clock.advance('1s');
      return unpolled().length === 0;
    });
    expect(unpolled()).toEqual([]);
  });

  it('that Redis has lost with all its data open no third poll of a minute to another process', async () => {
    const state = redisState(clientOf(), { prefix: 'lost:' });
    const { client, clock, all, mock, worker, pollsOf } = await holding('lost', 12, () => ({ state }));
    await clock.advance('50s');
    // Their next slot is free in ten seconds of real time at the earliest.
    const used = all.filter((store) => pollsOf(store).length === 2);
    expect(used.length).toBeGreaterThan(2);
    await client.flushall();
    await until(() => worker.health().shards === 0);
    const otherClock = new ManualClock();
    const { fleet: other } = fleetOf(mock, {
      clock: otherClock,
      stores: all,
      state: redisState(clientOf(), { prefix: 'lost:' }),
    });
    other.on('event', () => {}).on('error', () => {});
    void caught(other.start());
    const others = all.filter((store) => !used.includes(store));
    // Their turns come after those of the others: they have polled once.
    await until(async () => {
      await otherClock.advance('1s');
      return others.every((store) => pollsOf(store).length > 1);
    });
    expect(used.map((store) => pollsOf(store).length)).toEqual(used.map(() => 2));
    expect(mock.violations()).toEqual([]);
  });
});
