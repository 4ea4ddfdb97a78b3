import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import type { Cluster } from './cluster.js';
import { expectGoodHour, hourOf } from './hour.js';
import { OrderVolume } from './order-volume.js';
import { randomOf } from './random.js';
import { play, type Scenario } from './scenarios.js';
import { SimulatedStore } from './simulated-store.js';

const MINUTE_MS = 60_000;

const STORES = runs(100, 5);

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
});
