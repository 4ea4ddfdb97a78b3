import type { FleetStore, HubFleet, StopReport } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { afterAdvance, requestsTo } from '../support.js';
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

  it.each([
    ['idle', () => []],
    ['running', (fleet: HubFleet) => [fleet.start()]],
  ])('also ends a start that waits for the stop before it: of a fleet that was %s', async (_was, begin) => {
    const { clock, mock, fleet } = fleetStage(ALL);
    fleet.on('event', () => {});
    const begun = begin(fleet);
    await clock.advance('35s');
    const polled = requestsTo(mock, 'polling').length;
    void fleet.stop();
    const started = fleet.start();
    await Promise.all([...begun, started, fleet.close()]);
    await clock.advance('5m');
    expect(requestsTo(mock, 'polling')).toHaveLength(polled);
    expect([fleet.health().status, clock.sleepers]).toEqual(['idle', 0]);
  });

  it('does not wait for a function stores that hangs, and reports nothing of it afterwards', async () => {
    let reads = 0;
    const source = () => (reads++ === 0 ? ALL : new Promise<never>(() => {}));
    const { clock, fleet } = fleetStage(ALL, { stores: source });
    const errors: unknown[] = [];
    fleet.on('event', () => {}).on('error', (error) => errors.push(error));
    void fleet.start();
    await clock.advance('61s');
    expect(reads).toBe(2);
    await afterAdvance(clock, '1s', fleet.close());
    expect(clock.sleepers).toBe(0);
    await clock.advance('3m');
    expect(errors).toEqual([]);
  });
});
