import { memoryState, type State } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fleetOf, fleetStage, stores } from './support.js';

const SHARDS = 4;
const LATENCY_MS = 700;

/** A state that forgets everything on `lose`. */
function losableState() {
  let state = memoryState();
  const lose = () => {
    state = memoryState();
  };
  const current = new Proxy({} as State, {
    get: (_, name) => {
      const method: unknown = Reflect.get(state, name);
      return typeof method === 'function' ? method.bind(state) : method;
    },
  });
  return { state: current, lose };
}

describe('two fleets that share the shards of their stores', () => {
  it('keep the limit of the hub when the state has lost its data, if the one that polled repeats what it knows', async () => {
    const all = stores(12);
    const { state, lose } = losableState();
    const { clock, mock, fleet, pollsOf } = fleetStage(all, { state }, { latencyMs: LATENCY_MS });
    const { fleet: other } = fleetOf(mock, { clock, stores: all, state });
    const [held, heldByOther] = [fleet, other].map((each) => {
      each.on('event', () => {});
      return each.startShards(SHARDS);
    }) as [ReturnType<typeof fleet.startShards>, ReturnType<typeof fleet.startShards>];
    for (let shard = 0; shard < SHARDS; shard += 1) held.hold(shard, () => true);
    await clock.advance('60s');
    lose();
    const released = Promise.all(Array.from({ length: SHARDS }, (_, shard) => held.release(shard, 0)));
    await clock.advance(0);
    await released;
    await held.repeatWaits();
    for (let shard = 0; shard < SHARDS; shard += 1) heldByOther.hold(shard, () => true);
    await clock.advance('60s');
    for (const store of all) {
      const [first = 0, , third = 0] = pollsOf(store);
      expect(third - first).toBeGreaterThanOrEqual(60_000 + LATENCY_MS);
    }
    expect(mock.violations()).toEqual([]);
  });

  it('poll no store of a shard while its lock may have ended, and what was due within a second of its renewal', async () => {
    const all = stores(40);
    const { clock, fleet, pollsOf } = fleetStage(all);
    const polls = () => all.flatMap(pollsOf).length;
    fleet.on('event', () => {});
    const held = fleet.startShards(1);
    let mayPoll = true;
    held.hold(0, () => mayPoll);
    await clock.advance('37s');
    const before = polls();
    mayPoll = false;
    await clock.advance('7s');
    expect(polls()).toBe(before);
    mayPoll = true;
    await clock.advance('1.2s');
    const missed = polls() - before;
    expect(missed).toBeGreaterThan(0);
    expect(missed).toBeLessThan(all.length / 2);
    await clock.advance('60s');
    expect(all.every((store) => pollsOf(store).length >= 3)).toBe(true);
  });
});
