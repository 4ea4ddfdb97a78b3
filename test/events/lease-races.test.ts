import { ClosedError, type CycleReport, memoryState, type State } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf, gate, requestsTo, stage } from '../support.js';

/** A state with some of its calls replaced. */
function withCalls(state: State, calls: Partial<State>): State {
  return new Proxy(state, {
    get: (target, name: keyof State) =>
      calls[name] ?? (target[name] as (...given: unknown[]) => unknown).bind(target),
  });
}

/** A state whose lease calls are answered late. */
function slowLease(state: State, clock: ManualClock, ms: number): State {
  return withCalls(state, {
    lease: async (key, request, given) => {
      await clock.sleep(ms);
      return state.lease(key, request, given);
    },
  });
}

describe('stop while the state has not answered', () => {
  it('does not keep a lease that was granted after stop', async () => {
    const state = memoryState();
    const clock = new ManualClock();
    const { mock, hub } = stage({ clock }, { clock, state: slowLease(state, clock, 2000) });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const started = poller.start();
    started.catch(() => {});
    await clock.advance(100);
    await poller.stop();
    await clock.advance('5m');
    expect(clock.sleepers).toBe(0);
    const { hub: other } = clientOf(mock, { clock, state });
    const next = other.poller();
    next.on('CREATED', () => {});
    expect((await next.runOnce()).skipped).toBe(undefined);
    await expect(started).rejects.toBeInstanceOf(ClosedError);
  });

  it('does not keep a lease that came with a slot after stop', async () => {
    const state = memoryState();
    const clock = new ManualClock();
    const slow = withCalls(state, {
      reserve: async (key, request, given) => {
        if (request.lease) await clock.sleep(2000);
        return state.reserve(key, request, given);
      },
    });
    const { mock, hub } = stage({ clock }, { clock, state: slow });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const started = poller.start();
    started.catch(() => {});
    await clock.advance(100);
    await poller.stop();
    await clock.advance('5m');
    expect(clock.sleepers).toBe(0);
    const { hub: other } = clientOf(mock, { clock, state });
    const next = other.poller();
    next.on('CREATED', () => {});
    expect((await next.runOnce()).skipped).toBe(undefined);
  });

  it('pause while the lease is asked for sends no poll', async () => {
    const clock = new ManualClock();
    const { mock, hub } = stage({ clock }, { clock, state: slowLease(memoryState(), clock, 2000) });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const started = poller.start();
    started.catch(() => {});
    await clock.advance(100);
    poller.pause();
    await clock.advance('1m');
    expect(requestsTo(mock, 'polling')).toHaveLength(0);
    poller.resume();
    await clock.advance('3s');
    await started;
    await poller.stop();
  });

  it('a poller is not started again before its stop has released the lease', async () => {
    const clock = new ManualClock();
    const state = memoryState();
    const slow = withCalls(state, {
      release: async (key, holder, given) => {
        await clock.sleep(2000);
        return state.release(key, holder, given);
      },
    });
    const { mock, hub } = stage({ clock }, { clock, state: slow });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    const stopped = poller.stop();
    await clock.advance(10);
    await expect(poller.start()).rejects.toMatchObject({ code: 'configuration' });
    await clock.advance('5s');
    await stopped;
    await clock.advance('5m');
    expect(requestsTo(mock, 'polling')).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });
});

describe('an idle poller', () => {
  it('asks the state for its lease once, and then only together with the slots', async () => {
    const clock = new ManualClock();
    const state = memoryState();
    let asked = 0;
    const counting = withCalls(state, {
      lease: (key, request, given) => {
        asked += 1;
        return state.lease(key, request, given);
      },
    });
    const { hub } = stage({ clock }, { clock, state: counting });
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    await clock.advance('10m');
    expect(asked).toBe(1);
    await poller.stop();
  });
});

describe('runs left behind', () => {
  it('keep the lease also when a later poller of the client ends', async () => {
    const clock = new ManualClock();
    const state = memoryState();
    const { mock, hub } = stage({ clock }, { clock, state });
    const held = gate();
    const first = hub.poller({ listenerTimeoutMs: 1000 });
    first.on('CREATED', () => held.promise).on('error', () => {});
    mock.createOrder();
    const once = first.runOnce();
    await clock.advance('2s');
    await once;
    const second = hub.poller();
    let seen = 0;
    second.on('CREATED', () => void (seen += 1));
    await second.runOnce();
    expect(seen).toBe(0);
    const { hub: other } = clientOf(mock, { clock, state });
    const theirs = other.poller();
    theirs.on('CREATED', () => void (seen += 1));
    const report: CycleReport = await theirs.runOnce();
    expect(report).toEqual({ skipped: 'leased', retryAfterMs: expect.any(Number) });
    expect(seen).toBe(0);
    held.open();
    await clock.advance('2s');
    const last = theirs.runOnce();
    await clock.advance('2m');
    expect((await last).skipped).toBe(undefined);
    expect(seen).toBe(0);
  });

  it('of a stop that gave up call no dead-letter listener afterwards', async () => {
    const clock = new ManualClock();
    const { mock, hub } = stage({ clock }, { clock });
    const held = gate();
    const letters: number[] = [];
    const poller = hub.poller({ maxAttempts: 1 });
    poller.on('CREATED', () => held.promise).on('error', () => {});
    poller.on('deadLetter', (_letter, { fence }) => void letters.push(fence));
    mock.createOrder();
    await poller.start();
    const stopped = poller.stop({ timeoutMs: 0 });
    await clock.advance(1);
    await stopped;
    held.fail(new Error('no paper'));
    await clock.advance('1s');
    expect(letters).toEqual([]);
  });

  it('of runOnce let stop release the lease at once when its time is over', async () => {
    const clock = new ManualClock();
    const state = memoryState();
    const { mock, hub } = stage({ clock }, { clock, state });
    const poller = hub.poller();
    poller.on('CREATED', () => new Promise(() => {})).on('error', () => {});
    mock.createOrder();
    const once = poller.runOnce();
    await clock.advance('1s');
    const stopped = poller.stop({ timeoutMs: 1000 });
    await clock.advance('2s');
    await stopped;
    await once;
    const { hub: other } = clientOf(mock, { clock, state });
    const theirs = other.poller();
    theirs.on('CREATED', () => {});
    expect((await theirs.runOnce()).skipped).toBe(undefined);
    expect(clock.sleepers).toBe(0);
  });
});

describe('a machine that slept past its lease', () => {
  it('does not dispatch what it polled before under the fence it has afterwards', async () => {
    const clock = new ManualClock();
    const theirClock = new ManualClock();
    const state = memoryState();
    const mock = createMockHub({ clock: theirClock });
    let answered = gate();
    answered.open();
    let recalled = gate();
    recalled.open();
    const { hub } = clientOf(mock, {
      clock,
      state: withCalls(state, {
        recall: async (...given) => {
          const marks = await state.recall(...given);
          await recalled.promise;
          return marks;
        },
      }),
      timeoutMs: 60_000,
      fetch: async (...given) => {
        const answer = await mock.fetch(...(given as Parameters<typeof mock.fetch>));
        await answered.promise.finally(clock.park());
        return answer;
      },
    });
    const seen: string[] = [];
    const mine = hub.poller();
    mine.on('CREATED', () => void seen.push('mine')).on('error', () => {});
    await mine.start();
    await Promise.all([clock.advance('29s'), theirClock.advance('29s')]);
    answered = gate();
    mock.createOrder();
    await Promise.all([clock.advance('39s'), theirClock.advance('39s')]);
    recalled = gate();
    answered.open();
    await clock.advance('1s');
    // The marks are read and under way; then for this machine only the wall clock goes on.
    clock.step(120_000);
    await theirClock.advance('2m');
    const { hub: other } = clientOf(mock, { clock: theirClock, state });
    const theirs = other.poller();
    theirs.on('CREATED', () => void seen.push('theirs'));
    await theirs.runOnce();
    await clock.advance('3s');
    recalled.open();
    await clock.advance('1s');
    expect(seen).toEqual(['theirs']);
    await mine.stop();
  });
});
