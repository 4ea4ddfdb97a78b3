import { memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';
import type { Entry } from '../../src/events/entry.js';
import { HandledMarks, MAX_WAITING_MARKS } from '../../src/events/handled-marks.js';
import { gate } from '../support.js';
import { entryOf, withCalls } from './support.js';

/** A queue of marks, the sizes of the batches that it wrote, and what became of each mark. */
function marksOf(remember?: State['remember']) {
  const memory = memoryState();
  const batches: number[] = [];
  const tried: [string, unknown][] = [];
  const state = withCalls(memory, {
    remember: (key, ids, forMs, clock) => {
      batches.push(ids.length);
      return remember ? remember(key, ids, forMs, clock) : memory.remember(key, ids, forMs, clock);
    },
  });
  const marks = new HandledMarks({ state, stateKey: 'events', clock: new ManualClock() });
  const owner = { markTried: ({ key }: Entry, error: unknown) => void tried.push([key, error]) };
  const add = (count: number, rememberMs = 1000) => {
    for (let id = 0; id < count; id += 1) marks.add(entryOf(`${rememberMs}-${id}`), rememberMs, owner);
  };
  return { marks, add, batches, tried };
}

it('writes the marks of one turn of the event loop together', async () => {
  const { add, batches, tried } = marksOf();
  add(7);
  expect([batches, tried]).toEqual([[], []]);
  await Promise.resolve();
  expect([batches, tried.length]).toEqual([[7], 7]);
});

it('lets no more than two hundred marks wait', () => {
  const { add, batches } = marksOf();
  add(450);
  expect(batches).toEqual([MAX_WAITING_MARKS, MAX_WAITING_MARKS]);
});

it('writes all that came during a call with the next one', async () => {
  const first = gate<void>();
  let calls = 0;
  const { marks, add, batches, tried } = marksOf(() => {
    calls += 1;
    return calls === 1 ? first.promise : undefined;
  });
  add(1);
  await Promise.resolve();
  add(30);
  await Promise.resolve();
  expect([batches, tried.length, marks.isFull, marks.unwritten().size]).toEqual([[1], 0, false, 30]);
  add(200);
  expect([batches, marks.isFull]).toEqual([[1], true]);
  first.open();
  await marks.flush();
  expect([batches, tried.length, marks.isFull, marks.unwritten().size]).toEqual([[1, 230], 231, false, 0]);
});

it('writes marks with different lifetimes separately', async () => {
  const remember = vi.fn();
  const { marks, add } = marksOf(remember);
  add(2, 1000);
  add(3, 2000);
  await marks.flush();
  expect(remember.mock.calls.map(([, ids, forMs]) => [ids.length, forMs])).toEqual([
    [2, 1000],
    [3, 2000],
  ]);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('full');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('full');
    },
  ],
])('reports the marks of a state that %s, and keeps them', async (_how, remember) => {
  const { marks, add, tried } = marksOf(remember);
  add(2);
  await marks.flush();
  expect(tried).toEqual([
    ['1000-0', new Error('full')],
    ['1000-1', new Error('full')],
  ]);
  expect(marks.unwritten()).toEqual(new Set(['1000-0', '1000-1']));
  await expect(async () => marks.writeRefused()).rejects.toThrow('full');
});
