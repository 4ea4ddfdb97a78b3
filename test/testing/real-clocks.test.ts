import { getEventListeners } from 'node:events';
import { systemClock } from 'opendelivery-client';
import { scaledClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());

/** Whether a promise has settled by now, without waiting for it. */
function watched(promise: Promise<unknown>): { done: boolean } {
  const seen = { done: false };
  const note = () => {
    seen.done = true;
  };
  promise.then(note, note);
  return seen;
}

describe('scaledClock', () => {
  it('never wakes a sleeper early by its own monotonic, nor all of them late by standing still', async () => {
    const clock = scaledClock(1000);
    const sleeps = [0, 1, 7.5, 137, 999.9, 3000, 12_345];
    await Promise.all(
      sleeps.map(async (ms) => {
        const before = clock.monotonic();
        await clock.sleep(ms);
        expect(clock.monotonic() - before).toBeGreaterThanOrEqual(ms);
      }),
    );
  });

  it('runs the wall at the same pace, and rejects an aborted sleep with its reason', async () => {
    const clock = scaledClock(1000);
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    await clock.sleep(2000);
    expect(clock.now() - wall).toBeGreaterThanOrEqual(2000);
    expect(clock.monotonic() - monotonic).toBeGreaterThanOrEqual(2000);
    const controller = new AbortController();
    const sleep = clock.sleep(86_400_000, controller.signal);
    controller.abort('enough');
    await expect(sleep).rejects.toBe('enough');
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the factor %d', (factor) => {
    expect(() => scaledClock(factor)).toThrow(/factor must be a number above 0/);
  });
});

describe('systemClock', () => {
  it('never wakes a sleeper early by its own monotonic', async () => {
    const sleeps = [0, 0.2, 1, 1.7, 3.01, 9.999, 20].flatMap((ms) => [ms, ms, ms, ms, ms]);
    await Promise.all(
      sleeps.map(async (ms) => {
        const before = systemClock.monotonic();
        await systemClock.sleep(ms);
        expect(systemClock.monotonic() - before).toBeGreaterThanOrEqual(ms);
      }),
    );
  });

  it("is driven by a runner's fake timers", async () => {
    vi.useFakeTimers({ now: 5_000_000 });
    expect(systemClock.now()).toBe(5_000_000);
    const before = systemClock.monotonic();
    const sleep = watched(systemClock.sleep(30_000));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(sleep.done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.done).toBe(true);
    expect(systemClock.monotonic() - before).toBe(30_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is driven by fake timers that leave performance.now() alone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const sleep = watched(systemClock.sleep(30_000));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sleep.done).toBe(true);
  });

  it('an aborted sleep rejects with the reason and leaves neither timer nor listener', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const sleep = systemClock.sleep(30_000, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort('enough');
    await expect(sleep).rejects.toBe('enough');
    await expect(systemClock.sleep(30_000, controller.signal)).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    const { signal } = new AbortController();
    const slept = systemClock.sleep(10, signal);
    await vi.advanceTimersByTimeAsync(10);
    await slept;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([0, -1])('sleep(%d) yields and resolves', async (ms) => {
    vi.useFakeTimers();
    const sleep = watched(systemClock.sleep(ms));
    await undefined;
    expect(sleep.done).toBe(false);
    await vi.advanceTimersByTimeAsync(0);
    expect(sleep.done).toBe(true);
  });

  it('sleeps longer than a timer of Node can, and for ever', async () => {
    vi.useFakeTimers();
    const long = watched(systemClock.sleep(2 ** 31 + 5000));
    const controller = new AbortController();
    const forever = systemClock.sleep(Number.POSITIVE_INFINITY, controller.signal);
    const endless = watched(forever);
    await vi.advanceTimersByTimeAsync(2 ** 31 + 4999);
    expect([long.done, endless.done]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([long.done, endless.done]).toEqual([true, false]);
    controller.abort('enough');
    await expect(forever).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});
