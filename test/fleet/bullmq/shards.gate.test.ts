import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryState } from 'opendelivery-client';
import type { FleetWorker } from 'opendelivery-client/bullmq';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeWithRedis } from '../../state/redis/server.js';
import { hubWith, stores } from '../support.js';
import { TWELVE, workersWith } from './support.js';

const INTERVAL_MS = 30_000;

describeWithRedis('the shards of fleet workers', (startRedis) => {
  const { redis, clientOf, start } = workersWith(startRedis);

  /** A way to Redis that can be cut for good. To the others, a process that had only this way is as one that was killed. */
  async function cuttableSocket() {
    const socketPath = `${redis().socketPath}-cuttable`;
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = connect(redis().socketPath);
      for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
      client.pipe(upstream).pipe(client);
    }).listen(socketPath);
    await once(server, 'listening');
    const cut = () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    onTestFinished(cut);
    return { socketPath, cut };
  }

  /** Waits until it is true, for at most 20 s; what comes of it, the test asserts. */
  async function until(isTrue: () => boolean, limitMs = 20_000): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!isTrue() && performance.now() < deadline) await pause(20);
  }

  const held = (workers: readonly FleetWorker[]) => workers.map((worker) => worker.health().shards);

  it('take the hash of each store a few times in all, and not once for each shard', async () => {
    const all = stores(500);
    const mock = hubWith(all);
    const ids = new Set(all.map(({ storeId }) => storeId));
    let hashes = 0;
    const { charCodeAt } = String.prototype;
    const spy = vi.spyOn(String.prototype, 'charCodeAt').mockImplementation(function (this: string, at) {
      if (at === 0 && ids.has(String(this))) hashes += 1;
      return charCodeAt.call(this, at);
    });
    onTestFinished(() => spy.mockRestore());
    const worker = start('hashes', { shards: 64, stores: all, mock }).worker;
    await until(() => worker.health().shards === 64);
    expect(worker.health()).toMatchObject({ shards: 64, stores: 500 });
    expect(hashes).toBeGreaterThan(0);
    expect(hashes).toBeLessThanOrEqual(8 * all.length);
  });

  it('are balanced to within one: with six shards, the fourth process gets one too', async () => {
    const mock = hubWith(TWELVE);
    const workers: FleetWorker[] = [];
    const isEven = () => Math.max(...held(workers)) - Math.min(...held(workers)) <= 1;
    for (const count of [1, 2, 3, 4]) {
      workers.push(start('balance', { shards: 6, mock }).worker);
      await until(() => workers.every((worker) => worker.health().alive === count));
      // While a shard changes hands, nobody holds it.
      await until(() => held(workers).reduce((sum, shards) => sum + shards) === 6 && isEven(), 10_000);
    }
    expect(workers.map((worker) => worker.health().alive)).toEqual([4, 4, 4, 4]);
    expect(held(workers).sort()).toEqual([1, 1, 2, 2]);
  });

  it('are left to the others by a process that has none, until one of these is closed', async () => {
    const mock = hubWith(TWELVE);
    const started = [1, 2, 3].map(() => start('none', { shards: 2, mock }));
    const workers = started.map(({ worker }) => worker);
    await until(() => workers.every((worker) => worker.health().alive === 3));
    await until(() => held(workers).reduce((sum, shards) => sum + shards, 0) === 2);
    expect(held(workers).sort()).toEqual([0, 1, 1]);
    const [without, closed, other] = [...workers].sort(
      (one, two) => one.health().shards - two.health().shards,
    );
    await closed?.close();
    const rest = [without, other] as FleetWorker[];
    await until(() => held(rest).every((shards) => shards === 1));
    expect(held(rest)).toEqual([1, 1]);
    expect(started.flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('of a killed process are taken, although a process of 0.2.0 was the first to miss it', async () => {
    // It removes the silent processes from the sorted set, and not from the hash, which it does not have.
    await clientOf().hset('bull:ghost-4:holders', 'killed', '0,1');
    const { worker } = start('ghost');
    await until(() => worker.health().shards === 4);
    expect(worker.health()).toMatchObject({ shards: 4, alive: 1 });
  });

  it('are listed with their holders by the health of every worker', async () => {
    const mock = hubWith(TWELVE);
    const workers = [1, 2].map(() => start('holders', { mock }).worker);
    await until(() => held(workers).every((shards) => shards === 2));
    expect(held(workers)).toEqual([2, 2]);
    const listed = (worker: FleetWorker) => Object.values(worker.health().holders).flat().sort();
    // Each has read what the other one has written with its heartbeat.
    await until(() => workers.every((worker) => listed(worker).length === 4), 3000);
    const [one, other] = workers.map((worker) => worker.health().holders) as [object, object];
    expect(Object.values(one).flat().sort()).toEqual([0, 1, 2, 3]);
    expect(Object.keys(one)).toHaveLength(2);
    expect(other).toEqual(one);
  });

  it.each([
    ['at once if that was long ago', 2 * INTERVAL_MS, INTERVAL_MS / 2],
    ['when their quota allows it if that was just now', 0, INTERVAL_MS + 1000],
  ])(
    'are polled after a kill when their stores are due, as the state says: %s',
    async (_when, agoMs, allMs) => {
      const queueName = `kill ${agoMs}`;
      const clock = new ManualClock();
      const mock = hubWith(TWELVE, { clock });
      const shared = { mock, clock, state: memoryState() };
      const { socketPath, cut } = await cuttableSocket();
      const killed = start(queueName, { ...shared, connection: clientOf(socketPath) }).worker;
      await until(() => killed.health().stores === 12);
      await clock.advance(3 * INTERVAL_MS);
      cut();
      await until(() => killed.health().stores === 0);
      const from = mock.requests.length;
      await clock.advance(agoMs);
      expect(mock.requests).toHaveLength(from);
      // Its first poll may come as soon as it has a shard.
      const { worker } = start(queueName, shared);
      await until(() => worker.health().stores === 12);
      expect(worker.health()).toMatchObject({ shards: 4, stores: 12 });
      // At twice the mean rate, those that are due at once take half of the interval.
      await clock.advance(allMs);
      const polls = mock.requests.slice(from).filter(({ endpoint }) => endpoint === 'polling');
      expect(new Set(polls.map(({ clientId }) => clientId)).size).toBe(12);
      expect(mock.violations()).toEqual([]);
    },
  );
});
