import { memoryState } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { cuttable } from '../events/support.js';
import { afterAdvance } from '../support.js';
import { caught, fleetStage, one, stores } from './support.js';

const never = () => new Promise<void>(() => {});

describe('stop of a fleet', () => {
  it.each([
    ['remove()', (fleet) => fleet.remove('store-0')],
    ['close() of its client', (fleet) => fleet.hub('store-0').close()],
    ['another stop()', (fleet) => fleet.stop()],
  ] as [string, (fleet: ReturnType<typeof fleetStage>['fleet']) => Promise<unknown>][])(
    'ends at its own time limit, also during %s',
    async (_call, end) => {
      const all = one();
      const { clock, mock, fleet } = fleetStage(all, { storesRefreshMs: 86_400_000 });
      fleet.on('CREATED', never).on('error', () => {});
      mock.createOrder({ clientId: all[0]?.clientId as string });
      void caught(fleet.start());
      await clock.advance('31s');
      expect(fleet.health().running).toBe(1);
      const ended = caught(end(fleet));
      await clock.advance('2s');
      let isStopped = false;
      void fleet.stop({ timeoutMs: 1000 }).then(() => (isStopped = true));
      await clock.advance('1s');
      expect(isStopped).toBe(true);
      await clock.advance('1m');
      expect(await ended).toBe('resolved');
    },
  );

  it('does not take longer because the state, which has the leases of many stores, does not answer', {
    tags: 'slow',
  }, async () => {
    const { state, link } = cuttable(memoryState());
    const { clock, fleet } = fleetStage(stores(250), { state });
    fleet.on('event', () => {});
    await afterAdvance(clock, '31s', fleet.start());
    link.cut = true;
    const beganAt = clock.monotonic();
    let tookMs = Number.POSITIVE_INFINITY;
    const stopped = fleet.stop({ timeoutMs: 2000 }).then((reports) => {
      tookMs = clock.monotonic() - beganAt;
      return reports;
    });
    await clock.advance('1m');
    expect((await stopped).size).toBe(250);
    // The last calls of the state have five seconds.
    expect(tookMs).toBeLessThanOrEqual(7000);
  });
});
