import { memoryState, type Reservation, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { guardState } from '../../src/state/guard.js';
import { HANDLED, STATE_METHODS } from '../../src/state/port.js';
import { requestsTo, stage } from '../support.js';
import { stateContract } from './contract.js';
import { methodsOf } from './methods.js';
import { NOT_RENEWED } from './recalled.js';

/** What another promise library returns. */
function thenable<T>(value: T): unknown {
  // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable that is not a promise
  return { then: (resolve: (value: T) => void) => void queueMicrotask(() => resolve(value)) };
}

function asThenables(state: State): State {
  const methods = STATE_METHODS.map((name) => [
    name,
    (...parameters: never[]) => thenable(Reflect.apply(state[name], state, parameters)),
  ]);
  return Object.fromEntries(methods) as State;
}

stateContract('guardState over a state that returns foreign thenables', () =>
  guardState(asThenables(memoryState())),
);

describe('a client over a state that returns foreign thenables', () => {
  it('handles each event once', async () => {
    const { clock, mock, hub } = stage({}, { state: asThenables(memoryState()) });
    let handled = 0;
    const poller = hub.poller();
    poller.on('CREATED', () => void (handled += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    mock.redeliver(event.eventId);
    await clock.advance('1m');
    expect(handled).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
    await poller.stop();
  });

  it.each([
    undefined,
    null,
    {},
    { granted: false },
    { granted: false, waitMs: Number.NaN, reason: 'quota' },
    { granted: true },
  ])('reports %j from reserve as a StateError, and does not repeat it in a busy loop', async (result) => {
    const state = memoryState();
    state.reserve = () => result as Reservation;
    const { clock, mock, hub } = stage({}, { state });
    const errors: string[] = [];
    const poller = hub.poller();
    poller.on('event', () => {});
    poller.on('error', (error) => void errors.push(error.name));
    const started = poller.start().catch(() => {});
    await clock.advance('5m');
    expect(requestsTo(mock, 'polling')).toEqual([]);
    expect(new Set(errors)).toEqual(new Set(['StateError']));
    expect(errors.length).toBeLessThan(10);
    await poller.stop();
    await started;
  });
});

describe('a state that responds after the time-out', () => {
  /** Replies to these two methods after a minute. */
  function slow(own: State, clock: ManualClock): State {
    const late = async (marks: readonly number[] | Promise<readonly number[]>) => {
      await clock.sleep(60_000);
      return marks;
    };
    return {
      ...methodsOf(own),
      count: (...given) => (given[2] === 1 ? late(own.count(...given)) : own.count(...given)),
      recall: (...given) => late(own.recall(...given)),
    };
  }

  it('takes the counted attempts back', async () => {
    const clock = new ManualClock();
    const own = memoryState();
    const guarded = guardState(slow(own, clock));
    const counted = guarded.count('events', ['a', 'b'], 1, 86_400_000, clock) as Promise<readonly number[]>;
    const failed = counted.catch((error: Error) => error.name);
    await clock.advance('30s');
    expect(await failed).toBe('StateError');
    expect(await own.recall('events', ['a', 'b'], NOT_RENEWED, clock)).toEqual([1, 1]);
    await clock.advance('1m');
    expect(await own.recall('events', ['a', 'b'], NOT_RENEWED, clock)).toEqual([0, 0]);
  });

  it('takes back the attempts that a recall has counted, and no others', async () => {
    const clock = new ManualClock();
    const own = memoryState();
    const ids = ['new', 'twice', 'twice', 'handled', 'not asked'];
    await own.count('events', ['twice', 'not asked'], 1, 86_400_000, clock);
    await own.count('events', ['twice', 'not asked'], 1, 86_400_000, clock);
    await own.remember('events', ['handled'], 86_400_000, clock);
    const guarded = guardState(slow(own, clock));
    const lifetimes = { handledMs: 86_400_000, attemptedMs: 86_400_000 };
    const failedWith = async (below: number) => {
      const count = { ids: ['new', 'twice', 'twice', 'handled'], below };
      const asked = guarded.recall('events', ids, { ...lifetimes, count }, clock) as Promise<unknown>;
      const failed = asked.catch((error: Error) => error.name);
      await clock.advance('30s');
      expect(await failed).toBe('StateError');
    };
    const marks = () => own.recall('events', ids, NOT_RENEWED, clock);
    await failedWith(2);
    expect(await marks()).toEqual([1, 2, 2, HANDLED, 2]);
    await clock.advance('1m');
    expect(await marks()).toEqual([0, 2, 2, HANDLED, 2]);
    await failedWith(Number.POSITIVE_INFINITY);
    expect(await marks()).toEqual([1, 3, 3, HANDLED, 2]);
    await clock.advance('1m');
    expect(await marks()).toEqual([0, 2, 2, HANDLED, 2]);
  });

  it('and only recalls takes nothing back', async () => {
    const clock = new ManualClock();
    const own = memoryState();
    await own.count('events', ['a'], 1, 86_400_000, clock);
    const guarded = guardState(slow(own, clock));
    const asked = guarded.recall('events', ['a'], NOT_RENEWED, clock) as Promise<unknown>;
    asked.catch(() => {});
    await clock.advance('2m');
    expect(await own.recall('events', ['a'], NOT_RENEWED, clock)).toEqual([1]);
  });
});
