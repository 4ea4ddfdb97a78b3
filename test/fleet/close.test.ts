import { ConfigurationError, type FleetStore, type StopReport } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { gate, settledNow, watched } from '../support.js';
import { caught, fleetStage, polling, stores } from './support.js';

const ALL = stores(3);
const [FIRST, SECOND] = ALL as [FleetStore, FleetStore];
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

  it('waits for listeners until timeoutMs; a second call can make it come sooner', async () => {
    const { clock, mock, fleet } = fleetStage(ALL);
    fleet.on('CREATED', () => new Promise(() => {}));
    const { event } = mock.createOrder({ clientId: SECOND.clientId });
    void caught(fleet.start());
    await clock.advance('35s');
    const closed = fleet.close({ timeoutMs: 600_000 });
    const seen = watched(closed);
    await clock.advance('2m');
    expect(seen.done).toBe(false);
    void fleet.close({ timeoutMs: 5000 });
    await clock.advance('6s');
    expect(seen.done).toBe(true);
    expect((await closed).get('store-1')).toEqual({
      ...NOTHING,
      unacknowledged: [event.eventId],
      timedOut: true,
    });
    expect((await closed).get('store-0')).toEqual(NOTHING);
  });

  it('through Symbol.asyncDispose ends within 30 s', async () => {
    const { clock, mock, fleet } = fleetStage(ALL);
    fleet.on('CREATED', () => new Promise(() => {}));
    mock.createOrder({ clientId: SECOND.clientId });
    void caught(fleet.start());
    await clock.advance('35s');
    const disposed = fleet[Symbol.asyncDispose]();
    await clock.advance('29s');
    expect(await settledNow(clock, disposed)).toBe('pending');
    await clock.advance('2s');
    expect(await settledNow(clock, disposed)).toEqual({ value: undefined });
  });

  it('inside a listener waits for all other runs, and acknowledges the event of that listener', async () => {
    const { clock, mock, fleet } = fleetStage(ALL);
    const other = gate();
    let reports: Map<string, StopReport> | undefined;
    fleet.on('CREATED', async (_event, { storeId }) => {
      if (storeId === 'store-1') await other.promise;
      else reports = await fleet.close();
    });
    mock.createOrder({ clientId: SECOND.clientId });
    void caught(fleet.start());
    await clock.advance('31s');
    mock.createOrder({ clientId: FIRST.clientId });
    await clock.advance('31s');
    expect(reports).toBeUndefined();
    other.open();
    await clock.advance('2s');
    expect(reports?.get('store-1')).toEqual({ ...NOTHING, handled: 1, acknowledged: 1 });
    expect(reports?.get('store-0')).toMatchObject({ timedOut: false });
    expect([mock.pending(FIRST.clientId), mock.pending(SECOND.clientId)]).toEqual([[], []]);
    expect(clock.sleepers).toBe(0);
  });

  it.each([-1, '5s' as unknown as number])(
    'with timeoutMs %s rejects with a ConfigurationError',
    async (timeoutMs) => {
      const { fleet } = await polling(fleetStage(ALL), '35s');
      // A promise that rejects, not an exception.
      for (const call of [fleet.close({ timeoutMs }), fleet.stop({ timeoutMs })])
        await expect(call).rejects.toBeInstanceOf(ConfigurationError);
      expect(fleet.health('store-0').status).toBe('running');
    },
  );
});
