import { ConfigurationError, type FleetStore, HubFleet } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { fleetOf, fleetStage, hubWith, polling, stores } from './support.js';

const INTERVAL_MS = 30_000;

/** Two ids whose places are known: they must never change, because versions run side by side. */
const KNOWN = ['store-1', 'loja-são-joão'].map((storeId, index) => ({
  storeId,
  clientId: String(index + 1),
  clientSecret: `secret-${index}`,
}));

/** The shard of each store, of so many. */
async function shardsOf(all: readonly FleetStore[], of: number): Promise<Map<string, number[]>> {
  const clock = new ManualClock();
  const shards = new Map(all.map(({ storeId }) => [storeId, [] as number[]]));
  for (let index = 0; index < of; index += 1) {
    const options = { clock, stores: all, shard: { index, of }, logger: false } as const;
    const fleet = new HubFleet({
      baseUrl: 'https://hub.example',
      fetch: async () => new Response(),
      ...options,
    });
    fleet.on('event', () => {});
    const started = fleet.start().catch(() => {});
    await clock.advance(0);
    for (const { storeId } of all) {
      if (fleet.health(storeId).status !== 'idle') shards.get(storeId)?.push(index);
    }
    await Promise.all([fleet.stop({ timeoutMs: 0 }), started]);
  }
  return shards;
}

it('each store is in one shard, and never in a smaller one when there are more of them', async () => {
  const all = stores(60);
  let before = await shardsOf(all, 1);
  for (let of = 2; of <= 5; of += 1) {
    const shards = await shardsOf(all, of);
    const sizes = new Array<number>(of).fill(0);
    for (const [storeId, of] of shards) {
      expect([storeId, of.length]).toEqual([storeId, 1]);
      expect(of[0]).toBeGreaterThanOrEqual(before.get(storeId)?.[0] as number);
      sizes[of[0] as number] = (sizes[of[0] as number] as number) + 1;
    }
    expect(Math.min(...sizes)).toBeGreaterThan(60 / of / 3);
    before = shards;
  }
});

it('a store has the same shard, and the same moment of the interval, in every version', async () => {
  const shards = await shardsOf(KNOWN, 256);
  expect(Object.fromEntries(shards)).toEqual({ 'store-1': [47], 'loja-são-joão': [94] });
  const clock = new ManualClock(1_700_000_010_000);
  const mock = hubWith(
    KNOWN.map((store) => ({ ...store, apiKey: `key-of-${store.clientId}` })),
    { clock },
  );
  const { fleet } = fleetOf(mock, { clock, stores: KNOWN });
  fleet.on('event', () => {});
  void fleet.start();
  await clock.advance('5m');
  const polls = mock.requests.filter(({ endpoint }) => endpoint === 'polling');
  for (const [index, phase] of [0.545386, 0.34745].entries()) {
    const phases = polls
      .filter(({ clientId }) => clientId === KNOWN[index]?.clientId)
      .map(({ at }) => (at % INTERVAL_MS) - phase * INTERVAL_MS);
    expect(phases.length).toBeGreaterThan(8);
    for (const lateMs of phases) {
      expect(lateMs).toBeGreaterThanOrEqual(-1);
      expect(lateMs).toBeLessThanOrEqual(100);
    }
  }
});

it('the phases of the stores of one shard are spread over the interval', async () => {
  const { mock } = await polling(fleetStage(stores(200), { shard: { index: 1, of: 4 } }));
  const tenths = new Set(
    mock.requests
      .filter(({ endpoint }) => endpoint === 'polling')
      .map(({ at }) => Math.floor((at % INTERVAL_MS) / (INTERVAL_MS / 10))),
  );
  expect(tenths.size).toBe(10);
});

it('a shard that does not exist is refused', () => {
  expect(() => fleetStage([], { shard: { index: 2, of: 2 } })).toThrow(ConfigurationError);
});
