import type { FleetStore, StopReport } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { caught, fleetStage, stores } from './support.js';

const ALL = stores(3);
const [FIRST] = ALL as [FleetStore];
const NOTHING: StopReport = { handled: 0, acknowledged: 0, unacknowledged: [], timedOut: false };

describe('close of a fleet', () => {
  it('resolves to a report for each store, the same for a second call, and to none afterwards', async () => {
    const { clock, mock, fleet } = fleetStage(ALL);
    fleet.on('CREATED', () => {});
    mock.createOrder({ clientId: FIRST.clientId });
    void caught(fleet.start());
    await clock.advance('35s');
    const both = [fleet.close(), fleet.stop()];
    await clock.advance('1s');
    const [one, two] = await Promise.all(both);
    expect(two).toBe(one);
    expect([...(one as Map<string, StopReport>)].sort()).toEqual([
      ['store-0', { ...NOTHING, handled: 1, acknowledged: 1 }],
      ['store-1', NOTHING],
      ['store-2', NOTHING],
    ]);
    expect(await fleet.close()).toEqual(new Map());
    expect(clock.sleepers).toBe(0);
  });
});
