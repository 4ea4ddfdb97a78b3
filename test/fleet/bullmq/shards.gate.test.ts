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

  it.fails('take the hash of each store a few times in all, and not once for each shard (point 18)', async () => {
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

  it.fails('are balanced to within one: with six shards, the fourth process gets one too (point 18)', async () => {
    const mock = hubWith(TWELVE);
    const workers: FleetWorker[] = [];
    for (const count of [1, 2, 3, 4]) {
      workers.push(start('balance', { shards: 6, mock }).worker);
      await until(() => workers.every((worker) => worker.health().alive === count));
      await until(() => held(workers).every((shards) => shards >= Math.floor(6 / count)), 3000);
    }
    expect(workers.map((worker) => worker.health().alive)).toEqual([4, 4, 4, 4]);
    expect(held(workers).sort()).toEqual([1, 1, 2, 2]);
  });

  it.fails('are listed with their holders by the health of every worker (point 18)', async () => {
    const mock = hubWith(TWELVE);
    const workers = [1, 2].map(() => start('holders', { mock }).worker);
    await until(() => held(workers).every((shards) => shards === 2));
    expect(held(workers)).toEqual([2, 2]);
    // By the id of the process.
    const holdersOf = (worker: FleetWorker) =>
      (worker.health() as { holders?: Readonly<Record<string, readonly number[]>> }).holders ?? {};
    const [one, other] = workers as [FleetWorker, FleetWorker];
    await until(() => Object.values(holdersOf(one)).flat().length === 4, 3000);
    expect(Object.values(holdersOf(one)).flat().sort()).toEqual([0, 1, 2, 3]);
    expect(Object.keys(holdersOf(one))).toHaveLength(2);
    expect(holdersOf(other)).toEqual(holdersOf(one));
  });

  it.fails('are polled after a kill when their stores are due, as the state says, and not in their next phase (point 18)', async () => {
    const clock = new ManualClock();
    const mock = hubWith(TWELVE, { clock });
    const shared = { mock, clock, state: memoryState() };
    const { socketPath, cut } = await cuttableSocket();
    const killed = start('kill', { ...shared, connection: clientOf(socketPath) }).worker;
    await until(() => killed.health().stores === 12);
    await clock.advance(2 * INTERVAL_MS);
    cut();
    await until(() => killed.health().stores === 0);
    await clock.advance(2 * INTERVAL_MS);
    const { worker } = start('kill', shared);
    await until(() => worker.health().stores === 12);
    expect(worker.health()).toMatchObject({ shards: 4, stores: 12 });
    const from = mock.requests.length;
    // At three times the mean rate, all of them take a third of the interval.
    await clock.advance(INTERVAL_MS / 2);
    const polls = mock.requests.slice(from).filter(({ endpoint }) => endpoint === 'polling');
    expect(new Set(polls.map(({ clientId }) => clientId)).size).toBe(12);
    expect(mock.violations()).toEqual([]);
  });
});
