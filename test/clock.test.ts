import { getEventListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { systemClock } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isFromFuture } from '../src/time/clock.js';
import { clientOf, requestsTo, watched } from './support.js';

afterEach(() => void vi.useRealTimers());

describe('systemClock', () => {
  it.each([
    ['wakes a sleeper', (ms: number) => systemClock.sleep(ms)],
    ['calls a timer back', (ms: number) => new Promise<void>((done) => systemClock.timer?.(ms, done))],
  ])('never %s early by its own monotonic clock', async (_, wait) => {
    const waits = [0, 0.2, 1, 1.7, 3.01, 9.999, 20].flatMap((ms) => [ms, ms, ms, ms, ms]);
    await Promise.all(
      waits.map(async (ms) => {
        const before = systemClock.monotonic();
        await wait(ms);
        expect(systemClock.monotonic() - before).toBeGreaterThanOrEqual(ms);
      }),
    );
  });

  it('lets what has come while the event loop was busy go first', async () => {
    const order: string[] = [];
    const timer = new Promise<void>((resolve) => {
      systemClock.timer?.(1, () => {
        order.push('timer');
        resolve();
      });
    });
    await new Promise(setImmediate);
    const read = stat(import.meta.filename).then(() => order.push('reply'));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
    await Promise.all([timer, read]);
    expect(order).toEqual(['reply', 'timer']);
  });

  it('does not call a cancelled timer back, and leaves nothing that keeps the process alive', async () => {
    vi.useFakeTimers();
    const onDue = vi.fn();
    const cancels = [10, 2 ** 31 + 5000, Number.POSITIVE_INFINITY].map((ms) =>
      systemClock.timer?.(ms, onDue),
    );
    expect(vi.getTimerCount()).toBe(3);
    for (const cancel of cancels) cancel?.();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(2 ** 32);
    expect(onDue).not.toHaveBeenCalled();
  });

  it("follows a test runner's fake timers", async () => {
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

  it.each([[['Date']], [[]]] as const)(
    'follows fake timers that do not fake performance.now(), but %j',
    async (others) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...others] });
      const before = systemClock.monotonic();
      const sleep = watched(systemClock.sleep(30_000));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(sleep.done).toBe(true);
      expect(systemClock.monotonic() - before).toBeGreaterThanOrEqual(30_000);
    },
  );

  it('lets a poller follow them', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const mock = createMockHub();
    const { hub } = clientOf(mock, { fetch: mock.fetch });
    const seen: string[] = [];
    const starting = hub
      .poller()
      .on('CREATED', ({ orderId }) => void seen.push(orderId))
      .start();
    await vi.advanceTimersByTimeAsync(1000);
    await starting;
    const { orderId } = mock.createOrder();
    await vi.advanceTimersByTimeAsync(300_000);
    expect([seen, mock.violations()]).toEqual([[orderId], []]);
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(9);
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

  it('can sleep longer than a timer of Node, and without end', async () => {
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

it.each([
  ['an hour ago', -3_600_000, false],
  ['now', 0, false],
  ['five minutes ahead, which may be clock skew', 300_000, false],
  ['more than five minutes ahead', 300_001, true],
  ['an unreadable instant', Number.NaN, false],
])('isFromFuture: %s', (_name, aheadMs, expected) => {
  const clock = new ManualClock();
  expect(isFromFuture(clock.now() + aheadMs, clock)).toBe(expected);
});
