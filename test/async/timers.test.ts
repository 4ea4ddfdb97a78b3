import fc from 'fast-check';
import type { Clock } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';
import { Timers } from '../../src/async/timers.js';

it('fires every timer when it is due, in sequence, and none that was cancelled', async () => {
  const step = fc.record({
    ms: fc.nat(5000),
    cancelAfterMs: fc.option(fc.nat(6000), { nil: undefined }),
    waitMs: fc.nat(800),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new ManualClock();
      const timers = new Timers(clock);
      const fired: number[] = [];
      const expected: { id: number; dueAt: number }[] = [];
      const cancels: { at: number; cancel: () => void }[] = [];
      const advance = async (ms: number) => {
        const until = clock.monotonic() + ms;
        for (const { at, cancel } of cancels.filter((each) => each.at <= until).sort((a, b) => a.at - b.at)) {
          if (at > clock.monotonic()) await clock.advance(at - clock.monotonic());
          cancel();
        }
        await clock.advance(until - clock.monotonic());
      };
      for (const [id, { ms, cancelAfterMs, waitMs }] of steps.entries()) {
        const now = clock.monotonic();
        const cancel = timers.start(ms, () => {
          expect(clock.monotonic()).toBe(now + ms);
          fired.push(id);
        });
        if (cancelAfterMs !== undefined) cancels.push({ at: now + cancelAfterMs, cancel });
        // A timer that is cancelled at once does not fire, however soon it is due.
        const isCancelled = cancelAfterMs !== undefined && (cancelAfterMs < ms || cancelAfterMs === 0);
        if (!isCancelled) expected.push({ id, dueAt: now + ms });
        await advance(waitMs);
      }
      await advance(20_000);
      expected.sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
      expect(fired).toEqual(expected.map(({ id }) => id));
      expect(clock.sleepers).toBe(0);
    }),
    { numRuns: 60, examples: [[[{ ms: 0, cancelAfterMs: 0, waitMs: 0 }]]] },
  );
});

it('needs one sleep for a thousand timers that end in sequence', () => {
  const clock = new ManualClock();
  const sleep = vi.spyOn(clock, 'sleep');
  const timers = new Timers(clock);
  const cancels = Array.from({ length: 1000 }, (_, index) => timers.start(30_000 + index, () => {}));
  expect(sleep).toHaveBeenCalledTimes(1);
  for (const cancel of cancels) cancel();
  expect(clock.sleepers).toBe(0);
});

it('needs no new sleep after a shorter timer has fired', async () => {
  const clock = new ManualClock();
  const sleep = vi.spyOn(clock, 'sleep');
  const timers = new Timers(clock);
  timers.start(30_000, () => {});
  for (let second = 0; second < 5; second += 1) {
    timers.start(1000, () => {});
    await clock.advance('1s');
  }
  expect(sleep).toHaveBeenCalledTimes(6);
});

it('does not keep cancelled timers, however long they would have lasted', async () => {
  const clock = new ManualClock();
  const timers = new Timers(clock);
  let fired = 0;
  timers.start(10_000, () => void (fired += 1));
  for (let count = 0; count < 100_000; count += 1) timers.start(60_000, () => void (fired += 1))();
  await clock.advance('2m');
  expect([fired, clock.sleepers]).toEqual([1, 0]);
});

it('does not wait for a sleep that never ends', async () => {
  const clock = new ManualClock();
  const timers = new Timers(clock);
  const sleep = vi.spyOn(clock, 'sleep').mockReturnValueOnce(new Promise(() => {}));
  const fired: string[] = [];
  timers.start(5000, () => void fired.push('lost'));
  await clock.advance('7s');
  expect(fired).toEqual([]);
  timers.start(1000, () => void fired.push('next'));
  await clock.advance('1s');
  expect(fired).toEqual(['lost', 'next']);
  expect(sleep).toHaveBeenCalledTimes(3);
});

it('keeps few sleeps, also if each timer is due before the last one', async () => {
  const clock = new ManualClock();
  const timers = new Timers(clock);
  const fired: number[] = [];
  for (let ms = 1000; ms > 0; ms -= 10) timers.start(ms, () => void fired.push(ms));
  expect(clock.sleepers).toBeLessThanOrEqual(8);
  await clock.advance('1s');
  expect(fired).toEqual([...fired].sort((a, b) => a - b));
  expect(fired).toHaveLength(100);
});

it('has at most eight sleeps at a time, also on a clock that is faster than its timers', () => {
  let now = 0;
  const signals: AbortSignal[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (_ms, signal) => {
      signals.push(signal as AbortSignal);
      return new Promise(() => {});
    },
  };
  const timers = new Timers(clock);
  for (let count = 0; count < 30; count += 1) {
    timers.start(10, () => {});
    now += 1500;
    expect(signals.filter(({ aborted }) => !aborted).length).toBeLessThanOrEqual(8);
  }
});
