import { memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { guardState } from '../../src/state/guard.js';
import { STATE_METHODS } from '../../src/state/port.js';
import { requestsTo, stage } from '../support.js';
import { NOT_RENEWED } from './calls.js';
import { testContract } from './contract.js';
import { methodsOf } from './methods.js';
import { messagesOf } from './survives.js';

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
});

describe('a client over a state that returns what it must not', () => {
  const NEITHER: readonly unknown[] = [
    undefined,
    null,
    {},
    { granted: true },
    { granted: 'yes', id: 'a', fence: 1 },
    { granted: false },
    { granted: false, waitMs: 0 },
    { granted: false, waitMs: Number.NaN, reason: 'quota' },
    { granted: false, waitMs: Number.POSITIVE_INFINITY },
  ];
  const MARK = { handled: false, attempts: 3 };

  it.each<[keyof State, results: readonly unknown[], remedy: string]>([
    ['reserve', [...NEITHER, { granted: true, id: 7 }], 'waitMs > 0'],
    [
      'lease',
      [...NEITHER, { granted: true, fence: 1.5 }, { granted: true, fence: '1' }],
      'fence: an integer',
    ],
    ['recall', [undefined, {}, [], [MARK, MARK], [null], [2047]], 'for each id'],
    ['recall', [[{ handled: 1, attempts: 0 }], [{ handled: true, attempts: '1' }]], 'handled: a boolean'],
    ['recall', [undefined, -1, 0.5].map((attempts) => [{ handled: false, attempts }]), 'an integer from 0'],
  ])('from %s reports a StateError, and handles nothing: %j', async (name, all, remedy) => {
    for (const result of all) {
      let calls = 0;
      const answer = () => {
        calls += 1;
        if (calls > 1000) throw new Error('it asks again in a busy loop');
        return result;
      };
      const state = { ...methodsOf(memoryState()), [name]: answer };
      const { clock, mock, hub } = stage({}, { state });
      const errors: Error[] = [];
      let handled = 0;
      mock.createOrder();
      const poller = hub.poller().on('event', () => void (handled += 1));
      poller.on('error', (error) => void errors.push(error));
      const started = poller.start().catch(() => {});
      await clock.advance('5m');
      expect(new Set(errors.map((error) => error.name))).toEqual(new Set(['StateError']));
      expect(messagesOf(errors[0])).toContain(`invalid result from ${name}(); a State must return `);
      expect(messagesOf(errors[0])).toContain(remedy);
      // Two for each poll.
      expect(calls).toBeLessThanOrEqual(22);
      expect([handled, mock.acknowledged()]).toEqual([0, []]);
      if (name !== 'recall') expect(requestsTo(mock, 'polling')).toEqual([]);
      await poller.stop();
      await started;
    }
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
