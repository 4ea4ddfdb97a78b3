import { type EventPoller, type HubClient, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, clientOf, gate, requestsTo, settledNow, stage } from '../support.js';
import { pendingListener, runOnceElsewhere, stageWithState, withCalls } from './support.js';

/** A stage whose state takes two seconds for calls of one purpose; `state` is the quick one. */
function slowStage(purpose: 'lease' | 'release' | 'slot and lease') {
  const clock = new ManualClock();
  const state = memoryState();
  const slow = withCalls(state, { [purpose]: (next: () => unknown) => clock.sleep(2000).then(next) });
  return { ...stage({ clock }, { clock, state: slow }), clock, state };
}

describe('stop before the state has replied', () => {
  it.each(['lease', 'slot and lease'] as const)(
    'releases a lease that is granted after it: with the %s',
    async (purpose) => {
      const staged = slowStage(purpose);
      const { clock, hub } = staged;
      const poller = hub.poller().on('CREATED', () => {});
      const started = poller.start();
      await clock.advance('1s');
      await afterAdvance(clock, '5s', poller.stop());
      expect((await afterAdvance(clock, '1s', runOnceElsewhere(staged))).skipped).toBe(undefined);
      expect(await started).toBe(undefined);
      expect(clock.sleepers).toBe(0);
    },
  );
});

it('a stop releases a lease that the state may still grant, after its time limit', async () => {
  const clock = new ManualClock();
  const state = memoryState();
  const standsStill = clock.sleep(8000);
  const later = (next: () => unknown) => standsStill.then(next);
  const slow = withCalls(state, { lease: later, release: later });
  const staged = { ...stage({ clock }, { clock, state: slow }), clock, state };
  const poller = staged.hub
    .poller()
    .on('CREATED', () => {})
    .on('error', () => {});
  void poller.start().catch(() => {});
  await clock.advance('6s');
  expect(poller.health().lastError).toMatchObject({ code: 'state' });
  await afterAdvance(clock, '5s', poller.stop());
  expect((await afterAdvance(clock, '1s', runOnceElsewhere(staged))).skipped).toBe(undefined);
  expect(clock.sleepers).toBe(0);
});

describe('a poller', () => {
  it('that is paused while it acquires the lease sends no poll', async () => {
    const { clock, mock, hub } = slowStage('lease');
    const poller = hub.poller().on('CREATED', () => {});
    const started = poller.start();
    await clock.advance(100);
    poller.pause();
    await clock.advance('1m');
    expect(requestsTo(mock, 'polling')).toHaveLength(0);
    poller.resume();
    await afterAdvance(clock, '3s', started);
  });

  it.each([
    ['stopped', (poller: EventPoller, _abort: () => void) => void poller.stop()],
    ['aborted', (_poller: EventPoller, abort: () => void) => abort()],
  ])(
    'that is started or run again while it is %s waits until it has released the lease',
    async (_how, end) => {
      const { clock, mock, hub } = slowStage('release');
      const poller = hub.poller().on('CREATED', () => {});
      const controller = new AbortController();
      await poller.start({ signal: controller.signal });
      end(poller, () => controller.abort(new Error('left')));
      await clock.advance(10);
      const started = poller.start();
      expect(await settledNow(clock, started)).toBe('pending');
      await afterAdvance(clock, '2m', started);
      expect(requestsTo(mock, 'polling').length).toBeGreaterThan(1);

      void poller.stop();
      expect(await afterAdvance(clock, '5m', poller.runOnce())).toMatchObject({ handled: 0 });
      expect(clock.sleepers).toBe(0);
    },
  );

  it.each<[string, (poller: EventPoller, hub: HubClient) => Promise<unknown>]>([
    ['stopped', (poller) => poller.stop()],
    ['closed', (poller) => poller.close()],
    ['closed with its client', (_poller, hub) => hub.close()],
  ])('that is %s while it waits for its stop does not begin', async (_how, end) => {
    for (const [call, outcome] of [
      ['start', 'resolved'],
      ['runOnce', 'closed'],
    ] as const) {
      const { clock, mock, hub } = slowStage('release');
      const poller = hub.poller().on('CREATED', () => {});
      await poller.start();
      void poller.stop();
      const begun = poller[call]().then(
        () => 'resolved',
        ({ code }) => code,
      );
      await afterAdvance(clock, '5s', end(poller, hub));
      expect([call, await begun]).toEqual([call, outcome]);
      expect(clock.sleepers).toBe(0);
      await clock.advance('5m');
      expect(requestsTo(mock, 'polling')).toHaveLength(1);
      expect(clock.sleepers).toBe(0);
    }
  });

  it('whose run is stopped has released the lease when the stop resolves, and can be started', async () => {
    const staged = slowStage('release');
    const { clock, mock, hub } = staged;
    const poller = hub.poller().on('CREATED', () => {});
    const ran = expect(poller.runOnce()).rejects.toMatchObject({ code: 'closed' });
    const elsewhere = poller.stop().then(() => runOnceElsewhere(staged));
    await clock.advance('5s');
    expect((await elsewhere).skipped).toBe(undefined);
    await ran;
    const restarted = poller.stop().then(() => poller.start());
    await afterAdvance(clock, '5m', restarted);
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(1);
    await afterAdvance(clock, '5s', poller.stop());
    expect(clock.sleepers).toBe(0);
  });

  it('cannot run once before the last runOnce has released the lease', async () => {
    const { clock, hub } = slowStage('release');
    const poller = hub.poller().on('CREATED', () => {});
    const first = poller.runOnce();
    await clock.advance(500);
    await expect(poller.runOnce()).rejects.toMatchObject({ code: 'configuration' });
    await afterAdvance(clock, '2s', first);
  });
});

describe('a run that was left behind', () => {
  it('keeps the lease, also when a later poller of the client ends', async () => {
    const staged = stageWithState();
    const { clock, mock, hub } = staged;
    const { listener, orders, open } = pendingListener();
    const first = hub.poller({ listenerTimeoutMs: 1000 });
    first.on('CREATED', listener).on('error', () => {});
    mock.createOrder();
    await afterAdvance(clock, '2s', first.runOnce());
    const second = hub.poller().on('CREATED', listener);
    await second.runOnce();
    expect(await runOnceElsewhere(staged)).toEqual({ skipped: 'leased', retryAfterMs: expect.any(Number) });
    expect(orders).toHaveLength(1);
    open();
    await clock.advance('2s');
    expect(await afterAdvance(clock, '2m', runOnceElsewhere(staged))).toMatchObject({ handled: 0 });
    expect(orders).toHaveLength(1);
  });

  it('by a stop that gave up keeps the lease when a later poller of the client ends, until the client is closed', async () => {
    const staged = stageWithState();
    const { clock, mock, hub } = staged;
    const first = hub.poller().on('CREATED', () => new Promise(() => {}));
    mock.createOrder();
    await first.start();
    await afterAdvance(clock, 1, first.stop({ timeoutMs: 0 }));
    const second = hub.poller().on('CREATED', () => {});
    await afterAdvance(clock, '1m', second.runOnce());
    expect((await afterAdvance(clock, '1m', runOnceElsewhere(staged))).skipped).toBe('leased');
    await hub.close({ timeoutMs: 0 });
    expect((await afterAdvance(clock, '1m', runOnceElsewhere(staged))).skipped).toBe(undefined);
  });

  it('by a stop that gave up keeps the lease until it has settled, and no other process runs its event (point 11)', async () => {
    const staged = stageWithState();
    const { clock, mock, hub } = staged;
    const { listener, open } = pendingListener();
    const poller = hub.poller().on('CREATED', listener);
    mock.createOrder();
    await poller.start();
    await afterAdvance(clock, 1, poller.stop({ timeoutMs: 0 }));
    // Longer than a lease that nobody renews.
    await clock.advance('2m');
    expect(await runOnceElsewhere(staged)).toMatchObject({ skipped: 'leased' });
    open();
    await clock.advance('1s');
    expect(await runOnceElsewhere(staged)).toMatchObject({ handled: 0 });
    expect(mock.pending()).toEqual([]);
  });

  it('by a stop that gave up calls no dead-letter listener afterwards', async () => {
    const { clock, mock, hub } = stage();
    const { listener, fail } = pendingListener();
    const letters: number[] = [];
    const poller = hub.poller({ maxAttempts: 1 });
    poller.on('CREATED', listener).on('error', () => {});
    poller.on('deadLetter', (_letter, { fence }) => void letters.push(fence));
    mock.createOrder();
    await poller.start();
    await clock.advance(1);
    await afterAdvance(clock, 1, poller.stop({ timeoutMs: 0 }));
    fail(new Error('no paper'));
    await clock.advance('1s');
    expect(letters).toEqual([]);
  });

  it('by runOnce keeps the lease after a stop that gave up, until the client is closed', async () => {
    const staged = stageWithState();
    const { clock, mock, hub } = staged;
    const poller = hub.poller();
    poller.on('CREATED', () => new Promise(() => {})).on('error', () => {});
    mock.createOrder();
    const once = poller.runOnce();
    await clock.advance('1s');
    await afterAdvance(clock, '2s', poller.stop({ timeoutMs: 1000 }));
    await once;
    expect((await runOnceElsewhere(staged)).skipped).toBe('leased');
    await hub.close({ timeoutMs: 0 });
    expect((await runOnceElsewhere(staged)).skipped).toBe(undefined);
    expect(clock.sleepers).toBe(0);
  });

  it('by runOnce keeps a stop waiting, which then leaves the lease to the poller that was started since', async () => {
    const staged = stageWithState();
    const { clock, mock, hub } = staged;
    const { listener, open } = pendingListener();
    const first = hub.poller({ listenerTimeoutMs: 1000 });
    first.on('CREATED', listener).on('error', () => {});
    mock.createOrder();
    const once = first.runOnce();
    await clock.advance(500);
    const stopped = first.stop({ timeoutMs: 600_000 });
    await afterAdvance(clock, '1s', once);
    const second = hub.poller().on('CREATED', () => {});
    await afterAdvance(clock, '31s', second.start());
    open();
    await afterAdvance(clock, 1, stopped);
    expect(await runOnceElsewhere(staged)).toMatchObject({ skipped: 'leased' });
  });
});

describe('a machine that slept past its lease', () => {
  it('does not dispatch events of an earlier poll under the fence that it is granted afterwards', async () => {
    const clock = new ManualClock();
    const theirClock = new ManualClock();
    const state = memoryState();
    const mock = createMockHub({ clock: theirClock });
    let responded = gate();
    responded.open();
    let recalled = gate();
    recalled.open();
    const { hub } = clientOf(mock, {
      clock,
      state: withCalls(state, {
        recall: async (next) => {
          const marks = await next();
          await recalled.promise;
          return marks;
        },
      }),
      timeoutMs: 60_000,
      fetch: async (...given) => {
        const response = await mock.fetch(...(given as Parameters<typeof mock.fetch>));
        await responded.promise.finally(clock.park());
        return response;
      },
    });
    const seen: string[] = [];
    const mine = hub.poller();
    mine.on('CREATED', () => void seen.push('mine')).on('error', () => {});
    await mine.start();
    await Promise.all([clock.advance('29s'), theirClock.advance('29s')]);
    responded = gate();
    mock.createOrder();
    await Promise.all([clock.advance('39s'), theirClock.advance('39s')]);
    recalled = gate();
    responded.open();
    await clock.advance('1s');
    // The marks were read, and their reply is under way. Then only the wall clock goes on for this machine.
    clock.step(120_000);
    await theirClock.advance('2m');
    const { hub: other } = clientOf(mock, { clock: theirClock, state });
    const theirs = other.poller().on('CREATED', () => void seen.push('theirs'));
    await theirs.runOnce();
    await clock.advance('3s');
    recalled.open();
    await clock.advance('1s');
    expect(seen).toEqual(['theirs']);
  });
});

describe('the lease is released', () => {
  it('when a dead-letter listener stops its poller', async () => {
    const staged = stageWithState();
    const { clock, mock, hub } = staged;
    const poller = hub.poller({ maxAttempts: 1 }).on('error', () => {});
    poller.on('CREATED', () => {
      throw new Error('no');
    });
    const reports: unknown[] = [];
    poller.on('deadLetter', async () => void reports.push(await poller.stop()));
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    expect(reports).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
    expect((await runOnceElsewhere(staged)).skipped).toBe(undefined);
  });
});
