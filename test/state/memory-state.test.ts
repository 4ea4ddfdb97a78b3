import type { State } from 'opendelivery-client';
import { stateContract } from 'opendelivery-client/testing';
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

/** Ignores the clock that it gets, as a state whose database measures time. */
function inRealTime(state: State): State {
  const methods = STATE_METHODS.map((name) => [
    name,
    async (...parameters: unknown[]) =>
      (state[name] as (...all: unknown[]) => unknown)(...parameters.slice(0, -1), systemClock),
  ]);
  return Object.fromEntries(methods) as State;
}
