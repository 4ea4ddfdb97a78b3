import type { FleetStore, HubFleet } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { caught, fleetStage, stores } from './support.js';

/** Starts a fleet, and says how that has ended; so far it has not. */
function startOf(fleet: HubFleet): { how: string } {
  const started = { how: '' };
  fleet.on('event', () => {}).on('error', () => {});
  void caught(fleet.start()).then((how) => {
    started.how = how;
  });
  return started;
}

it('a first read of the stores that is slower than storesRefreshMs counts, whatever the second one does', async () => {
  const all = stores(3);
  const reads: (() => Promise<FleetStore[]>)[] = [];
  const { clock, fleet, pollsOf } = fleetStage(all, {
    stores: () => (reads.shift() ?? (() => new Promise<FleetStore[]>(() => {})))(),
  });
  reads.push(async () => {
    await clock.sleep(70_000);
    return all;
  });
  const started = startOf(fleet);
  await clock.advance('71s');
  expect(started.how).toBe('');
  await clock.advance('30s');
  expect(started.how).toBe('resolved');
  expect(all.map((store) => pollsOf(store).length)).toEqual([1, 1, 1]);
});

it('start resolves although the second read of the stores was faster than the first one', async () => {
  const all = stores(3);
  const reads: (() => Promise<FleetStore[]>)[] = [];
  const { clock, fleet } = fleetStage(all, { stores: () => (reads.shift() ?? (async () => all))() });
  reads.push(async () => {
    await clock.sleep(200_000);
    return all;
  });
  const started = startOf(fleet);
  await clock.advance('10m');
  expect(started.how).toBe('resolved');
});

it('start resolves although the first read of the stores hangs, once a later one has ended', async () => {
  const all = stores(3);
  let reads = 0;
  const { clock, fleet, pollsOf } = fleetStage(all, {
    stores: () => {
      reads += 1;
      return reads === 1 ? new Promise<FleetStore[]>(() => {}) : all;
    },
  });
  const started = startOf(fleet);
  await clock.advance('61s');
  expect(started.how).toBe('');
  await clock.advance('30s');
  expect(started.how).toBe('resolved');
  expect(all.map((store) => pollsOf(store).length)).toEqual([1, 1, 1]);
});

it.each([
  ['the first one', {}],
  ['the one that can be used', { clientId: 5 as never }],
])('of a store that is listed twice with other credentials, %s counts', async (_which, change) => {
  const [first, second] = stores(2) as [FleetStore, FleetStore];
  let listed: FleetStore[] = [first];
  const { clock, fleet, pollsOf } = fleetStage([first, second], { stores: () => listed });
  startOf(fleet);
  await clock.advance('59s');
  const moved = { ...second, storeId: first.storeId };
  listed = [{ ...moved, ...change }, moved];
  await clock.advance('2m');
  expect(pollsOf(second).length).toBeGreaterThan(1);
});
