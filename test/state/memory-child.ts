/**
 * A separate process that prints how many bytes of memory a remembered id costs.
 * `known` remembers each of these numbers of ids, `window` that many at a time
 * for ten days, each of them for one day. `values` sets each of these numbers of values of 2 kB, each for a minute, one
 * in a second. Needs --expose-gc.
 */
import { memoryState } from '../../src/state/memory-state.js';
import type { State } from '../../src/state/port.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

const clock = new ManualClock();

async function bytes(): Promise<number> {
  // What a collection leaves to other threads is gone at a later one.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** As `keyOf` makes them: the id of an event, and a hash of its content. */
const idOf = (index: number) =>
  `${index.toString(16).padStart(8, '0')}-3c1f-4f5e-8f5a-0b4e9a56d7c1#${((index * 2_654_435_761) >>> 0).toString(36)}k3v9x1q`;

async function remember(state: State, from: number, to: number): Promise<void> {
  for (let known = from; known < to; known += 100) {
    const ids = Array.from({ length: Math.min(100, to - known) }, (_, index) => idOf(known + index));
    await state.mark('events:store', ids, { handled: true, forMs: 86_400_000 }, clock);
  }
}

// Compiles everything, so that its code is not counted.
await remember(memoryState(), 0, 100_000);
const before = await bytes();
const state = memoryState();
const print = async (count: number) => {
  process.stdout.write(`${count} ${((await bytes()) - before) / count}\n`);
};

const [mode, ...counts] = process.argv.slice(2);
let known = 0;
for (const count of counts.map(Number)) {
  if (mode === 'known') {
    await remember(state, known, count);
    known = count;
  } else if (mode === 'values') {
    for (; known < count; known += 1) {
      const value = `${known}`.padEnd(2000, String(known));
      await state.set(`menu:${known}`, value, { forMs: 60_000 }, clock);
      await clock.advance('1s');
    }
  } else {
    for (let tenth = 0; tenth < 100; tenth += 1) {
      await remember(state, known, known + count / 10);
      known += count / 10;
      await clock.advance('144m');
    }
  }
  await print(count);
}
await state.mark('events:store', [], { handled: true, forMs: 0 }, clock);
