import type { State } from 'opendelivery-client';
import { ManualClock, stateContract } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { memoryState } from '../../src/state/memory-state.js';
import { STATE_METHODS } from '../../src/state/port.js';
import { systemClock } from '../../src/time/clock.js';
import { testContract } from './contract.js';

testContract('memoryState', () => memoryState());

it('a state that measures with a clock of its own passes the same cases, in real time', async () => {
  const cases = stateContract(() => {
    const state = inRealTime(memoryState());
    return { state, reopen: async () => state, close: async () => {} };
  });
  await expect(Promise.all(cases.map(({ run }) => run()))).resolves.toHaveLength(cases.length);
});

it('finds a mark that was made again after an earlier one of its id had ended', async () => {
  const clock = new ManualClock();
  const state = memoryState();
  const recalled = () =>
    state.recall('events', ['an-id'], { handledMs: 86_400_000, attemptedMs: 86_400_000 }, clock);
  await state.mark('events', ['an-id'], { handled: true, forMs: 3_600_000 }, clock);
  await clock.advance('2h');
  await state.mark('events', ['an-id'], { handled: true, forMs: 86_400_000 }, clock);
  expect(recalled()).toEqual([{ handled: true, attempts: 0 }]);
  await clock.advance('20h');
  expect(recalled()).toEqual([{ handled: true, attempts: 0 }]);
});

/** Ignores the clock that it gets, as a state whose database measures time. */
function inRealTime(state: State): State {
  const methods = STATE_METHODS.map((name) => [
    name,
    async (...parameters: unknown[]) =>
      (state[name] as (...all: unknown[]) => unknown)(...parameters.slice(0, -1), systemClock),
  ]);
  return Object.fromEntries(methods) as State;
}
