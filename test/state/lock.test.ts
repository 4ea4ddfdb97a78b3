import { memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { withLock } from '../../src/state/lock.js';
import { methodsOf } from './methods.js';

/** Two processes that share a state. The result of the one that works is stored after ten seconds. */
function processes(state: State = memoryState()) {
  const clock = new ManualClock();
  let stored: string | undefined;
  let running = 0;
  const most: number[] = [];
  const start = (name: string) =>
    withLock({
      state,
      key: 'lock',
      clock,
      pause: (ms) => clock.sleep(ms),
      findResult: async () => stored,
      work: async () => {
        most.push((running += 1));
        await clock.sleep(10_000);
        running -= 1;
        return (stored = `by ${name}`);
      },
    });
  return { clock, start, most };
}

describe('withLock', () => {
  it('runs the work once, and gives its result to the others', async () => {
    const { clock, start, most } = processes();
    const results = Promise.all([start('a'), start('b'), start('c')]);
    await clock.advance('11s');
    expect(await results).toEqual(['by a', 'by a', 'by a']);
    expect(most).toEqual([1]);
  });

  it('frees the lock after work that fails', async () => {
    const clock = new ManualClock();
    const state = memoryState();
    const failing = withLock({
      state,
      key: 'lock',
      clock,
      pause: (ms) => clock.sleep(ms),
      findResult: async () => undefined,
      work: () => Promise.reject(new Error('refused')),
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await state.reserve('lock', { limit: 1, holdMs: 1 }, clock)).toMatchObject({ granted: true });
  });

  it('runs the work without a lock after 30 s, when the process that has it died', async () => {
    const state = memoryState();
    const { clock, start, most } = processes(state);
    await state.reserve('lock', { limit: 1, holdMs: 3_600_000 }, clock);
    const result = start('b');
    await clock.advance('29s');
    expect(most).toEqual([]);
    await clock.advance('12s');
    expect(await result).toBe('by b');
  });

  it('runs the work without a lock when the state fails', async () => {
    const state = methodsOf(memoryState());
    state.reserve = () => Promise.reject(new Error('down'));
    const { clock, start } = processes(state);
    const result = start('a');
    await clock.advance('10s');
    expect(await result).toBe('by a');
  });

  it('stops waiting when the pause rejects', async () => {
    const state = memoryState();
    const clock = new ManualClock();
    await state.reserve('lock', { limit: 1, holdMs: 60_000 }, clock);
    const waiting = withLock({
      state,
      key: 'lock',
      clock,
      pause: () => Promise.reject(new Error('aborted')),
      findResult: async () => undefined,
      work: async () => 'never',
    });
    await expect(waiting).rejects.toThrow('aborted');
  });
});
