import { scaledClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ScaledClock } from '../../src/testing/scaled-clock.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('scaledClock', () => {
  it('never wakes a sleeper early by its own monotonic clock', async () => {
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

  it('never calls a timer back early, also if its speed changes meanwhile', async () => {
    const clock = new ScaledClock(1000);
    const timers = [0, 1, 7.5, 137, 999.9, 3000, 12_345].map(async (ms) => {
      const before = clock.monotonic();
      await new Promise<void>((resolve) => void clock.timer(ms, resolve));
      expect(clock.monotonic() - before).toBeGreaterThanOrEqual(ms);
    });
    clock.factor = 500;
    await new Promise(setImmediate);
    clock.factor = 3000;
    await Promise.all(timers);
  });

  it('calls back what a jump has passed, in the sequence in which it was due, and nothing that was cancelled', async () => {
    vi.useFakeTimers();
    const clock = new ScaledClock(1);
    const fired: string[] = [];
    clock.timer(3000, () => void fired.push('second'));
    clock.timer(1000, () => void fired.push('first'));
    clock.timer(2000, () => void fired.push('cancelled'))();
    clock.timer(3_600_000, () => void fired.push('later'));
    clock.advance('1m');
    await vi.advanceTimersByTimeAsync(10);
    expect(fired).toEqual(['first', 'second']);
    expect(vi.getTimerCount()).toBe(1);
    clock.factor = 60;
    await vi.advanceTimersByTimeAsync(59_000);
    expect(fired).toEqual(['first', 'second', 'later']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sleeps again if a timer fires early', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const clock = scaledClock(10);
    let isAwake = false;
    void clock.sleep(1000).then(() => {
      isAwake = true;
    });
    now.mockReturnValue(99);
    await vi.advanceTimersByTimeAsync(100);
    expect(isAwake).toBe(false);
    now.mockReturnValue(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(isAwake).toBe(true);
  });

  it('runs the wall clock at the same speed, and rejects an aborted sleep with its reason', async () => {
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
    expect(() => scaledClock(factor)).toThrow(/factor must be a finite number greater than 0/);
  });
});
