import { describe, expect, it } from 'vitest';
import { stage } from '../support.js';
import { caught, fleetStage, one } from './support.js';

const never = () => new Promise<void>(() => {});

describe('stop with a shorter time limit than the one that is under way', () => {
  it('of a poller ends at its own time limit', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', never);
    mock.createOrder();
    await poller.start();
    const first = poller.stop({ timeoutMs: 30_000 });
    await clock.advance('2s');
    const second = poller.stop({ timeoutMs: 1000 });
    await clock.advance('1s');
    expect(await second).toMatchObject({ timedOut: true, unacknowledged: [expect.any(String)] });
    expect(await first).toBe(await second);
    expect(clock.sleepers).toBe(0);
  });

  it('of a poller, if it is longer, changes nothing', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', never);
    mock.createOrder();
    await poller.start();
    const first = poller.stop({ timeoutMs: 1000 });
    const second = poller.stop({ timeoutMs: 30_000 });
    await clock.advance('1s');
    expect([await first, await second]).toMatchObject([{ timedOut: true }, { timedOut: true }]);
  });

  it.each([
    ['remove()', (fleet) => fleet.remove('store-0')],
    ['close() of its client', (fleet) => fleet.hub('store-0').close()],
    ['another stop()', (fleet) => fleet.stop()],
  ] as [string, (fleet: ReturnType<typeof fleetStage>['fleet']) => Promise<unknown>][])(
    'of a fleet ends at its own time limit, also during %s',
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
});

it('health of a fleet that was restarted while the hub refuses polls (429) says that it is backing off', async () => {
  const all = one();
  const { clock, mock, fleet } = fleetStage(all);
  fleet.on('CREATED', () => {}).on('error', () => {});
  void caught(fleet.start());
  await clock.advance('31s');
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '3600' } });
  await clock.advance('31s');
  expect(fleet.health()).toMatchObject({ polling: 0, backingOff: 1 });
  await fleet.stop();
  void caught(fleet.start());
  await clock.advance('2m');
  expect(fleet.health()).toMatchObject({ polling: 0, backingOff: 1 });
  expect(fleet.health('store-0').lastError).toMatchObject({ code: 'rate_limit' });
  await clock.advance('1h');
  expect(fleet.health()).toMatchObject({ polling: 1, backingOff: 0 });
  expect(fleet.health('store-0').lastError).toBeUndefined();
});
