import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { Agenda } from './agenda.js';
import type { Cluster } from './cluster.js';
import { expectGoodHour, hourOf } from './hour.js';
import { Machine } from './machine.js';
import { OrderVolume } from './order-volume.js';
import { randomOf } from './random.js';
import { play, type Scenario } from './scenarios.js';
import { SimulatedStore } from './simulated-store.js';

const MINUTE_MS = 60_000;

const STORES = runs(200, 10);

describe('a simulated hour of four processes', () => {
  it('breaks no limit of the hub, loses no event and handles none twice, whatever fails', async () => {
    expectGoodHour(await play(hourOf(STORES)));
  });

  it('is the same each time for the same seed', async () => {
    const short: Scenario = {
      ...hourOf(12),
      options: { stores: 12, processes: 2, hour: 12 },
      async play(cluster: Cluster) {
        cluster.beginPart('all');
        cluster.startAll();
        await cluster.run(3 * MINUTE_MS);
      },
    };
    const figuresOf = async (seed: number) => {
      const { cluster, parts } = await play(short, { seed });
      return [parts[0]?.polls, parts[0]?.handled, parts[0]?.late.max, [...cluster.redis.counts]];
    };
    expect(await figuresOf(7)).toEqual(await figuresOf(7));
    expect(await figuresOf(7)).not.toEqual(await figuresOf(8));
  });
});

describe('the modelled hub', () => {
  const storeWith = (perDay: number) => {
    const violations: string[] = [];
    const volume = new OrderVolume(perDay, 0, randomOf(1));
    return { violations, store: new SimulatedStore(0, volume, (message) => violations.push(message)) };
  };

  it('reports a third poll within a minute, and an eleventh token within an hour', () => {
    const { store, violations } = storeWith(0);
    for (const at of [0, 30_000, 60_000, 89_999]) store.countPoll(at);
    expect(violations).toEqual(['store-0: polls']);
    for (let count = 0; count < 10; count += 1) store.issueToken(count);
    store.issueToken(3_600_000);
    expect(violations).toHaveLength(1);
    store.issueToken(3_600_000);
    expect(violations).toEqual(['store-0: polls', 'store-0: tokens']);
  });

  it('reports an event that is acknowledged and was not handled', () => {
    const { store, violations } = storeWith(60);
    const [first] = store.poll(24 * 60 * MINUTE_MS);
    store.acknowledge(first?.eventId ?? '');
    expect(violations).toEqual([`store-0: acknowledged unhandled ${first?.eventId}`]);
  });

  it('has as many orders as it was told, most of them at lunch and dinner', () => {
    const { store } = storeWith(6000);
    const byHour = new Map<number, number>();
    for (const { eventType, createdAt } of store.poll(24 * 60 * MINUTE_MS)) {
      if (eventType !== 'CREATED') continue;
      const hour = Math.floor(createdAt / 60 / MINUTE_MS);
      byHour.set(hour, (byHour.get(hour) ?? 0) + 1);
    }
    const orders = [...byHour.values()].reduce((sum, count) => sum + count, 0);
    expect(orders).toBeGreaterThan(5700);
    expect(orders).toBeLessThan(6300);
    expect(byHour.get(19)).toBeGreaterThan((byHour.get(16) as number) * 3);
  });
});

describe('a simulated process', () => {
  it('does one thing at a time: what comes while it is busy waits', async () => {
    const agenda = new Agenda();
    const machine = new Machine(agenda);
    const times: number[] = [];
    const work = async (dueAt: number) => {
      await machine.sleep(dueAt);
      times.push(agenda.now);
      machine.spend(100);
    };
    void work(10);
    void work(20);
    void work(500);
    await agenda.runUntil(1000);
    expect(times).toEqual([10, 110, 500]);
    expect(machine.usedMs).toBe(300);
  });

  it('does nothing after it was killed, and ends a sleep that is aborted', async () => {
    const agenda = new Agenda();
    const machine = new Machine(agenda);
    const controller = new AbortController();
    let woke = 0;
    const aborted = machine.sleep(10, controller.signal).catch((reason: unknown) => reason);
    void machine.sleep(20).then(() => (woke += 1));
    controller.abort('enough');
    machine.kill();
    await agenda.runUntil(100);
    expect(await aborted).toBe('enough');
    expect(woke).toBe(0);
  });
});
