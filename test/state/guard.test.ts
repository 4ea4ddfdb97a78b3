import { memoryState, type Reservation, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { guardState } from '../../src/state/guard.js';
import { STATE_METHODS } from '../../src/state/port.js';
import { requestsTo, stage } from '../support.js';
import { NOT_RENEWED } from './calls.js';
import { testContract } from './contract.js';
import { methodsOf } from './methods.js';

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

testContract('guardState over a state that returns foreign thenables', () =>
  guardState(asThenables(memoryState())),
);

describe('a client over a state that returns foreign thenables', () => {
  it('handles each event once', async () => {
    const { clock, mock, hub } = stage({}, { state: asThenables(memoryState()) });
    let handled = 0;
    const poller = hub.poller().on('CREATED', () => void (handled += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    mock.redeliver(event.eventId);
    await clock.advance('1m');
    expect(handled).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
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
    const poller = hub.poller().on('event', () => {});
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
  const forMs = 86_400_000;
  const lifetimes = { handledMs: forMs, attemptedMs: forMs };

  /** Counts at once, and replies after a minute. */
  function slow(own: State, clock: ManualClock): State {
    const late = async <T>(result: T | Promise<T>): Promise<T> => {
      await clock.sleep(60_000);
      return result;
    };
    return {
      ...methodsOf(own),
      mark: (...given) =>
        'attempts' in given[2] && given[2].attempts === 1 ? late(own.mark(...given)) : own.mark(...given),
      recall: (...given) => late(own.recall(...given)),
    };
  }

  const slowlyGuarded = () => {
    const clock = new ManualClock();
    const own = memoryState();
    const attempts = async (ids: readonly string[]) =>
      (await own.recall('events', ids, NOT_RENEWED, clock)).map((mark) =>
        mark.handled ? 'handled' : mark.attempts,
      );
    const refused = async (asked: unknown) => {
      const failed = Promise.resolve(asked).catch((error: Error) => error.name);
      await clock.advance('30s');
      expect(await failed).toBe('StateError');
    };
    return { clock, own, attempts, refused, guarded: guardState(slow(own, clock)) };
  };

  it('takes the attempts back that it has added', async () => {
    const { clock, attempts, refused, guarded } = slowlyGuarded();
    await refused(guarded.mark('events', ['a', 'b'], { attempts: 1, forMs }, clock));
    expect(await attempts(['a', 'b'])).toEqual([1, 1]);
    await clock.advance('1m');
    expect(await attempts(['a', 'b'])).toEqual([0, 0]);
  });

  it('takes the attempts back that a recall has counted, and no others', async () => {
    const { clock, own, attempts, refused, guarded } = slowlyGuarded();
    const ids = ['new', 'twice', 'twice', 'handled', 'not asked'];
    for (let time = 0; time < 2; time += 1) {
      await own.mark('events', ['twice', 'not asked'], { attempts: 1, forMs }, clock);
    }
    await own.mark('events', ['handled'], { handled: true, forMs }, clock);
    const refusedBelow = (below: number) => {
      const count = { ids: ['new', 'twice', 'twice', 'handled'], below };
      return refused(guarded.recall('events', ids, { ...lifetimes, count }, clock));
    };
    await refusedBelow(2);
    expect(await attempts(ids)).toEqual([1, 2, 2, 'handled', 2]);
    await clock.advance('1m');
    expect(await attempts(ids)).toEqual([0, 2, 2, 'handled', 2]);
    await refusedBelow(Number.POSITIVE_INFINITY);
    expect(await attempts(ids)).toEqual([1, 3, 3, 'handled', 2]);
    await clock.advance('1m');
    expect(await attempts(ids)).toEqual([0, 2, 2, 'handled', 2]);
  });

  it('takes nothing back if it only recalls', async () => {
    const { clock, own, attempts, refused, guarded } = slowlyGuarded();
    await own.mark('events', ['a'], { attempts: 1, forMs }, clock);
    await refused(guarded.recall('events', ['a'], lifetimes, clock));
    await clock.advance('2m');
    expect(await attempts(['a'])).toEqual([1]);
  });
});
