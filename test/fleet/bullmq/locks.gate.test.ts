import { setTimeout as pause } from 'node:timers/promises';
import { type FleetStore, type HubFleet, memoryState, readinessHandler } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { untilPhase } from '../../../src/engine/due.js';
import { phaseOf, shardOf } from '../../../src/fleet/shards.js';
import { describeWithRedis } from '../../state/redis/server.js';
import { gate } from '../../support.js';
import { caught, fleetOf, hubWith, stores } from '../support.js';
import { type StartOptions, TWELVE, until, workersWith } from './support.js';

const INTERVAL_MS = 30_000;
const SHORT_LOCK_MS = 1000;
/** Longer where a test waits for a moment within the lock. */
const LONG_LOCK_MS = 2000;

/** Moves the clock until so many listeners run. */
const untilRunning = (fleet: HubFleet, clock: ManualClock, count: number) =>
  until(async () => {
    await clock.advance('1s');
    return fleet.health().running === count;
  });

describeWithRedis('the locks of a fleet worker', (startRedis) => {
  const { redis, clientOf, start } = workersWith(startRedis);

  /** A worker that has its only shard, and whose fleet has a clock that the test moves. */
  async function holding(queueName: string, count: number, options: StartOptions = {}) {
    const clock = new ManualClock(Date.now());
    const all = stores(count);
    const mock = hubWith(all, { clock });
    const started = start(queueName, { clock, mock, stores: all, shards: 1, ...options });
    await until(() => started.worker.health().shards === 1);
    return { clock, all, ...started };
  }

  it('are renewed, so that a process keeps its shard for longer than a lock, and returned when it is closed', async () => {
    const clock = new ManualClock();
    const mock = hubWith(TWELVE, { clock });
    // A busy machine may be half a second late with a renewal; no poll is sent in the last quarter of a lock.
    const lockMs = 3 * SHORT_LOCK_MS;
    const shared = { clock, mock, shards: 1, lockMs, state: memoryState() };
    const one = start('renewed', shared);
    await until(() => one.worker.health().shards === 1);
    const end = performance.now() + 1.3 * lockMs;
    await until(() => one.worker.health().shards === 0 || performance.now() > end);
    expect(one.worker.health()).toMatchObject({ shards: 1, stores: 12, alive: 1, share: 1 });
    await clock.advance('31s');
    expect(one.worker.health()).toMatchObject({ polling: 12 });
    const other = start('renewed', shared);
    expect(other.worker.health()).toMatchObject({ shards: 0, stores: 0 });
    const closed = one.worker.close();
    await until(() => other.worker.health().shards === 1);
    await closed;
    await clock.advance('61s');
    expect(TWELVE.map((store) => one.pollsOf(store).length)).toEqual(TWELVE.map(() => 3));
    expect([...one.errors, ...other.errors, ...mock.violations()]).toEqual([]);
  });

  it('make its process ready with the first good poll, or if it has no store to poll, until it is closed', async () => {
    const clock = new ManualClock();
    const mock = hubWith(TWELVE, { clock });
    const { worker } = start('ready', {
      clock,
      mock,
      shards: 1,
      lockMs: SHORT_LOCK_MS,
      state: memoryState(),
    });
    const isReady = () => readinessHandler(worker)(new Request('http://pod/readyz')).status === 200;
    await until(() => worker.health().stores === 12);
    expect([isReady(), worker.health().status]).toEqual([false, 'starting']);
    await clock.advance('31s');
    expect([isReady(), worker.health().status]).toEqual([true, 'running']);
    const closed = worker.close();
    expect([isReady(), worker.health().status]).toEqual([false, 'stopping']);
    await closed;
    expect([isReady(), worker.health().status]).toEqual([false, 'idle']);

    const idle = start('ready without stores', { shards: 1, lockMs: SHORT_LOCK_MS, stores: [] });
    expect(idle.worker.health().status).toBe('starting');
    await until(() => idle.worker.health().status === 'running');
    expect(idle.worker.health()).toMatchObject({ shards: 1, stores: 0 });
  });

  it('that end while stores wait for a place do not leave these without polls when they are renewed', async () => {
    const options = { state: memoryState(), requestsInFlight: 1, lockMs: LONG_LOCK_MS };
    const { client, clock, all, mock, pollsOf } = await holding('waits', 6, options);
    await clock.advance('31s');
    mock.faults.next('polling', { type: 'latency', ms: 28_000 });
    await clock.advance('26s');
    const before = all.map((store) => pollsOf(store).length);
    await until(async () => (await client.pttl('bull:waits-1:s0:lock')) > 0.95 * LONG_LOCK_MS);
    redis().freeze();
    onTestFinished(() => redis().resume());
    // In its last quarter a lock allows no poll.
    await pause(0.85 * LONG_LOCK_MS);
    await clock.advance('13s');
    redis().resume();
    const unpolled = () => all.filter((store, index) => pollsOf(store).length === before[index]);
    await until(async () => {
      await clock.advance('1s');
      return unpolled().length === 0;
    });
    expect(unpolled()).toEqual([]);
  });

  it('allow no poll in their last quarter, and are lost at their end, if no renewal is confirmed', async () => {
    const lockMs = 2 * LONG_LOCK_MS;
    const { client, clock, all, pollsOf, worker, errors } = await holding('quarter', 40, {
      state: memoryState(),
      lockMs,
    });
    const polls = () => all.flatMap(pollsOf).length;
    await clock.advance('31s');
    await until(async () => (await client.pttl('bull:quarter-1:s0:lock')) > 0.95 * lockMs);
    redis().freeze();
    onTestFinished(() => redis().resume());
    const frozenAt = performance.now();
    /** What a busy machine was late with counts once. */
    const after = (locks: number) => pause(frozenAt + locks * lockMs - performance.now());
    await after(0.4);
    const before = polls();
    await clock.advance('5s');
    expect(polls()).toBeGreaterThan(before);
    await after(0.8);
    const inLastQuarter = polls();
    await clock.advance('5s');
    expect([polls(), worker.health().shards]).toEqual([inLastQuarter, 1]);
    await after(1.1);
    expect(worker.health().shards).toBe(0);
    await until(() => worker.health().stores === 0);
    redis().resume();
    await until(() => errors.some((message) => message.startsWith('1 shards were lost')));
    await until(() => worker.health().shards === 1);
  });

  it('end when the wall clock says so, too: the machine may have been suspended', async () => {
    const { clock, worker, mock } = await holding('suspended', 6, { state: memoryState() });
    // A renewal that Redis confirms would show that the lock has not ended.
    redis().freeze();
    onTestFinished(() => redis().resume());
    const { now } = Date;
    const wall = vi.spyOn(Date, 'now').mockImplementation(() => now() + 1100);
    onTestFinished(() => wall.mockRestore());
    const before = mock.requests.length;
    expect(worker.health()).toMatchObject({ shards: 0 });
    await clock.advance('40s');
    expect(mock.requests).toHaveLength(before);
  });

  it('that Redis has lost with all its data open no third poll of a minute to another process', async () => {
    const state = redisState(clientOf(), { prefix: 'lost:' });
    const { client, clock, all, mock, worker, pollsOf } = await holding('lost', 12, { state });
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

  it.each([
    ['soon after a hand-over, if their turn came while nobody had the shard', 20_000],
    ['soon after a hand-over that took an interval or longer', 31_000],
  ])('that are handed over: stores are polled %s', async (_when, handOverMs) => {
    const queueName = `handed over ${handOverMs}`;
    // Minutes of the clock pass in a few real seconds, in which a busy machine may renew no lock.
    const shared = { state: memoryState(), lockMs: 5 * SHORT_LOCK_MS };
    const { client, clock, all, worker, mock } = await holding(queueName, 60, shared);
    await clock.advance('61s');
    await worker.close();
    const { polledUntil } = JSON.parse((await client.hget(`bull:${queueName}-1:s0`, 'data')) ?? '{}');
    await clock.advance('61s');
    // The instant is of real time.
    clock.step(polledUntil + handOverMs - clock.now());
    const from = { wall: clock.now(), polls: mock.requests.length };
    const next = start(queueName, { ...shared, clock, mock, stores: all, shards: 1 });
    await until(() => next.worker.health().shards === 1);
    const polledMs = new Map<string | undefined, number>();
    for (let ms = 0; ms < INTERVAL_MS + 500; ms += 50) {
      await clock.advance(50);
      for (const { clientId } of mock.requests.slice(from.polls)) {
        if (!polledMs.has(clientId)) polledMs.set(clientId, ms + 50);
      }
    }
    expect(polledMs.size).toBe(60);
    const stores = all.map(({ clientId, storeId }) => {
      const untilTurnMs = (wall: number) => untilPhase(phaseOf(storeId) * INTERVAL_MS, wall, INTERVAL_MS);
      const isMissed = untilTurnMs(polledUntil) <= handOverMs;
      return { polledMs: polledMs.get(clientId) as number, isMissed, turnMs: untilTurnMs(from.wall) };
    });
    const missed = stores.filter(({ isMissed }) => isMissed);
    // Twice the mean rate.
    const catchUpMs = missed.length * (INTERVAL_MS / 60 / 2);
    expect(missed.length).toBeGreaterThan(30);
    expect(missed.filter((store) => store.polledMs > catchUpMs + 50)).toEqual([]);
    expect(stores.filter((store) => !store.isMissed && store.polledMs < store.turnMs)).toEqual([]);
    expect(mock.violations()).toEqual([]);
  });

  it.each([
    ['for at most 30 s', undefined, 30],
    ['for at most as long as `timeoutMs` says', { timeoutMs: 10_000 }, 10],
    ['for longer than 30 s if `timeoutMs` says so', { timeoutMs: 45_000 }, 45],
  ])('are kept %s after close, while listeners run', async (_title, options, seconds) => {
    const { clock, mock, worker, fleet } = await holding(`drained ${seconds}`, 3, { state: memoryState() });
    const aborted: boolean[] = [];
    fleet.on('CREATED', async (_event, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(true));
      await new Promise(() => {});
    });
    mock.createOrder({ clientId: '1000' });
    await untilRunning(fleet, clock, 1);
    let isClosed = false;
    const closed = worker.close(options).finally(() => {
      isClosed = true;
    });
    // What it writes to Redis takes real time.
    await until(() => fleet.health().polling === 0);
    await clock.advance(`${seconds - 1}s`);
    expect([isClosed, aborted]).toEqual([false, []]);
    await clock.advance('2s');
    const reports = await closed;
    expect(aborted).toEqual([true]);
    expect([...reports].sort().map(([storeId, { timedOut }]) => [storeId, timedOut])).toEqual([
      ['store-0', true],
      ['store-1', false],
      ['store-2', false],
    ]);
  });

  it('are returned at once if close is called again with a shorter time limit', async () => {
    const { clock, mock, worker, fleet } = await holding('hurried', 3, { state: memoryState() });
    fleet.on('CREATED', () => new Promise(() => {}));
    mock.createOrder({ clientId: '1000' });
    await untilRunning(fleet, clock, 1);
    const closed = worker.close();
    await until(() => fleet.health().polling === 0);
    const again = worker.close({ timeoutMs: 0 });
    await clock.advance(0);
    expect((await closed).get('store-0')).toMatchObject({ timedOut: true, handled: 0 });
    expect(await again).toBe(await closed);
  });

  it('leave a shard to another process within seconds, although a listener of one of its stores is slow', async () => {
    const clock = new ManualClock(Date.now());
    const all = stores(20);
    const mock = hubWith(all, { clock });
    const shared = { clock, mock, stores: all, shards: 2, state: memoryState() };
    const one = start('slow listener', shared);
    await until(() => one.worker.health().shards === 2);
    const work = gate();
    one.fleet.on('CREATED', () => work.promise);
    // One in each shard.
    const slow = [0, 1].map(
      (shard) => all.find(({ storeId }) => shardOf(storeId, 2) === shard) as FleetStore,
    );
    for (const { clientId } of slow) mock.createOrder({ clientId });
    await untilRunning(one.fleet, clock, 2);
    const other = start('slow listener', shared);
    await until(() => other.worker.health().shards === 1);
    const moved = all.filter(({ storeId }) => other.fleet.health(storeId).status !== 'idle');
    const before = moved.map((store) => other.pollsOf(store).length);
    // A minute: its first process may have just sent both polls of it, the one at the start and the next.
    await clock.advance('61s');
    const unpolled = moved.filter((store, index) => other.pollsOf(store).length === before[index]);
    expect(unpolled.map(({ clientId }) => clientId)).toEqual([
      slow.find((store) => moved.includes(store))?.clientId,
    ]);
    // When its listener has ended, its new process polls it too.
    work.open();
    await clock.advance('31s');
    expect(moved.filter((store, index) => other.pollsOf(store).length === before[index])).toEqual([]);
    expect(mock.violations()).toEqual([]);
  });

  it('give a shard back to a process in which a listener still runs', async () => {
    const clock = new ManualClock(Date.now());
    const all = stores(3);
    const mock = hubWith(all, { clock });
    const shared = { clock, mock, stores: all, shards: 1, state: memoryState() };
    const one = start('comes back', shared);
    await until(() => one.worker.health().shards === 1);
    const work = gate();
    one.fleet.on('CREATED', () => work.promise);
    mock.createOrder({ clientId: '1000' });
    await untilRunning(one.fleet, clock, 1);
    await one.client.set('bull:comes back-1:s0:lock', 'of another process');
    await until(() => one.worker.health().shards === 0);
    await one.client.del('bull:comes back-1:s0:lock');
    await until(() => one.worker.health().shards === 1);
    const before = all.map((store) => one.pollsOf(store).length);
    work.open();
    await clock.advance('61s');
    expect(all.filter((store, index) => one.pollsOf(store).length === before[index])).toEqual([]);
    expect(mock.violations()).toEqual([]);
  });
});
