import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { findDriver } from '../../../src/state/sqlite/driver.js';
import { programOf } from '../../programs.js';
import { recalled } from '../calls.js';
import type { Openers } from './opener.js';
import { type Child, child } from './processes.js';
import { DAY_MS, openState, stateError, temporaryDirectory } from './support.js';

const START = '2026-01-05T12:00:00Z';
const handled = { handled: true, forMs: DAY_MS };

async function opened(directory: string, count: number): Promise<Child[]> {
  const children = Array.from({ length: count }, () => child(directory));
  await Promise.all(children.map((each) => each.tell('open')));
  return children;
}

describe('several processes with one state', () => {
  it('may open a new file at the same moment, and never exceed a limit together', async () => {
    const directory = join(temporaryDirectory(), 'state');
    const children = await opened(directory, 4);
    const slots = await Promise.all(children.map((each) => each.tell('reserve', 20)));
    expect(slots.flat()).toHaveLength(10);
    expect(new Set(slots.flat()).size).toBe(10);
  });

  it('may open a new file at the same instant: 300 files, three threads each', async () => {
    const threads = 3;
    const ready = new Int32Array(new SharedArrayBuffer(300 * Int32Array.BYTES_PER_ELEMENT));
    const workerData: Openers = { directory: temporaryDirectory(), threads, ready };
    const failures = await Promise.all(
      Array.from({ length: threads }, async () => {
        const worker = new Worker(programOf('test/state/file/opener.ts'), { workerData });
        return (await once(worker, 'message'))[0] as string[];
      }),
    );
    expect(failures.flat()).toEqual([]);
  });

  it('see the marks of each other, also when one of them closes the file', async () => {
    const directory = temporaryDirectory();
    const [one, two] = (await opened(directory, 2)) as [Child, Child];
    await one.tell('call', 'mark', 'events:s', ['1'], handled);
    await two.tell('call', 'mark', 'events:s', ['2'], handled);
    await two.tell('close');
    await one.tell('call', 'mark', 'events:s', ['3'], handled);
    const state = openState(directory);
    expect(await recalled(state, 'events:s', ['1', '2', '3'], new ManualClock(START))).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  // Without them, another process that closes the file takes itself for the last one, and deletes the log that this one writes to.
  it.skipIf(!existsSync('/proc/locks'))(
    'keep the locks of SQLite when a second client opens the file',
    () => {
      const directory = temporaryDirectory();
      const state = openState(directory);
      const { ino } = statSync(join(directory, 'state.db'));
      const locks = () =>
        readFileSync('/proc/locks', 'utf8')
          .split('\n')
          .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length;
      expect(locks()).toBeGreaterThan(0);
      const before = locks();
      expect(openState(directory)).toBe(state);
      expect(locks()).toBe(before);
    },
  );

  it('get an error in bounded time while one is stopped in a transaction, work again after it, and block no event loop', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock(START);
    const state = openState(directory);
    await state.mark('events:s', ['1'], { handled: true, forMs: DAY_MS }, clock);
    const stopped = child(directory);
    await stopped.tell('lock');
    process.kill(stopped.pid, 'SIGSTOP');
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    const asked = Array.from({ length: 50 }, (_, index) =>
      Promise.resolve(state.mark('events:s', [`late-${index}`], { handled: true, forMs: DAY_MS }, clock)),
    );
    const startedAt = performance.now();
    const outcomes = await Promise.allSettled(asked);
    const tookMs = performance.now() - startedAt;
    clearInterval(ticking);
    for (const outcome of outcomes) {
      expect(outcome).toEqual({
        status: 'rejected',
        reason: stateError(/another process has locked the file for too long/),
      });
    }
    expect(tookMs).toBeLessThan(10_000);
    expect(ticks).toBeGreaterThan(100);
    // Reading needs no lock.
    expect(state.get('value:x', clock)).toBeUndefined();
    process.kill(stopped.pid, 'SIGCONT');
    await stopped.kill();
    await state.mark('events:s', ['2'], { handled: true, forMs: DAY_MS }, clock);
    expect(await recalled(state, 'events:s', ['1', '2', 'late-0'], clock)).toEqual(['1', '2']);
  });

  it('wait for each other without an error when one writes for a while', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock(START);
    const state = openState(directory);
    const busy = child(directory);
    await busy.tell('lock');
    const marked = Promise.resolve(state.mark('events:s', ['1'], { handled: true, forMs: DAY_MS }, clock));
    const doneAt = marked.then(() => clock.monotonic());
    // Virtual time waits too.
    const advanced = clock.advance('1h');
    await pause(100);
    await busy.kill();
    await advanced;
    expect(await doneAt).toBe(0);
  });
});

describe('a process that is killed while it writes', () => {
  it('has stored everything that had resolved, and leaves the file intact', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock(START);
    const ids: string[] = [];
    for (const [seed, lines] of [1, 40, 150].entries()) {
      const writer = child(directory);
      await writer.tell('open');
      writer.begin('write', seed);
      const said: unknown[] = [];
      while (said.length < lines) said.push(await writer.next());
      said.push(...(await writer.kill()));
      const state = openState(directory);
      const rounds = new Map<string, number>();
      for (const line of said as { ids: string[]; name: string; round: number }[]) {
        ids.push(...line.ids);
        rounds.set(line.name, line.round);
      }
      expect(await recalled(state, 'events:s', ids, clock)).toEqual(ids);
      for (const [name, round] of rounds) {
        expect(Number(await state.get(`value:${name}`, clock))).toBeGreaterThanOrEqual(round);
      }
      await state.close();
      const database = findDriver().open(join(directory, 'state.db'));
      expect(database.prepare('PRAGMA integrity_check').all()).toMatchObject([{ integrity_check: 'ok' }]);
      database.close();
    }
    expect(ids.length).toBeGreaterThan(300);
  });
});
