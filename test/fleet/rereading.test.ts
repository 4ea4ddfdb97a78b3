import type { FleetStore } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { gate } from '../support.js';
import { caught, fleetStage, polling, stores } from './support.js';

it('a read of the stores that ends after a later one changes nothing', async () => {
  const all = stores(3);
  const slow = gate<readonly FleetStore[]>();
  const reads = [async () => all.slice(0, 2), () => slow.promise];
  const { clock, fleet, pollsOf } = fleetStage(all, { stores: () => reads.shift()?.() ?? [...all.slice(1)] });
  const errors: string[] = [];
  fleet.on('event', () => {}).on('error', ({ name }) => void errors.push(name));
  void caught(fleet.start());
  // The second read hangs; it is given up, and the third one finds other stores.
  await clock.advance('5m');
  expect(errors).toEqual(['TimeoutError']);
  slow.open(all.slice(0, 2));
  await clock.advance(0);
  expect(() => fleet.health('store-0')).toThrow(/not a store of this fleet/);
  const from = clock.monotonic();
  await clock.advance('31s');
  const polled = all.map((store) => pollsOf(store).some((time) => time > from));
  expect(polled).toEqual([false, true, true]);
});

it.each([
  ['an array', (all: FleetStore[]) => all],
  ['a function', (all: FleetStore[]) => () => all],
])(
  'a store of %s that was removed stays out, and comes back with add, for all later reads',
  async (_, sourceOf) => {
    const all = stores(2);
    const [first] = all as [FleetStore];
    const { clock, mock, fleet, pollsOf } = fleetStage(all, { stores: sourceOf(all) });
    fleet.on('event', () => {});
    const polledIn = async (time: string) => {
      const from = clock.monotonic();
      await clock.advance(time as '1m');
      return pollsOf(first).some((at) => at > from);
    };
    void caught(fleet.start());
    await clock.advance('31s');
    for (let count = 0; count < 2; count += 1) {
      await fleet.remove('store-0');
      expect(await polledIn('3m')).toBe(false);
      await fleet.add(first);
      expect(await polledIn('31s')).toBe(true);
      await clock.advance('3m');
      expect(await polledIn('31s')).toBe(true);
    }
    expect(fleet.health()).toMatchObject({ stores: 2, polling: 2 });
    expect(mock.violations()).toEqual([]);
  },
);

it('a store that is listed with new functions of its secrets is polled with what they return', async () => {
  const [store] = stores(1) as [FleetStore & { clientSecret: string; apiKey: string }];
  let given = { clientSecret: 'refused', apiKey: 'refused' };
  const source = () => {
    const { clientSecret, apiKey } = given;
    return [{ ...store, clientSecret: () => clientSecret, apiKey: () => apiKey }];
  };
  const { clock, fleet } = await polling(fleetStage([store], { stores: source }), '5m');
  const hub = fleet.hub('store-0');
  expect(fleet.health()).toMatchObject({ refused: 1, polling: 0 });
  expect(await caught(hub.merchant.get())).toMatch(/^AuthenticationError/);
  given = store;
  await clock.advance('1h');
  expect(fleet.health()).toMatchObject({ refused: 0, polling: 1 });
  expect(await caught(hub.merchant.get())).toBe('resolved');
});
