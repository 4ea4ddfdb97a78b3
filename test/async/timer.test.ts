import type { Clock } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, vi } from 'vitest';
import { Alarm, startTimer } from '../../src/async/timer.js';
import { settledNow } from '../support.js';

/** A clock that an application has made: it has no timers. */
const withoutTimer = (time: ManualClock): Clock => ({
  now: () => time.now(),
  monotonic: () => time.monotonic(),
  sleep: async (ms, signal) => {
    if (ms < 0) throw new RangeError('a sleep cannot take less than no time');
    await time.sleep(ms, signal);
  },
});

describe.each([
  ['a clock with timers', (time: ManualClock): Clock => time],
  ['a clock that only sleeps', withoutTimer],
])('startTimer on %s', (_which, clockOf) => {
  it('calls back after the time, once', async () => {
    const time = new ManualClock();
    const onDue = vi.fn();
    const cancel = startTimer(clockOf(time), 1000, onDue);
    await time.advance(999);
    expect(onDue).not.toHaveBeenCalled();
    await time.advance(1);
    expect(onDue).toHaveBeenCalledTimes(1);
    cancel();
    await time.advance('1m');
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  it('does not call back after it was cancelled, and leaves no sleeper', async () => {
    const time = new ManualClock();
    const onDue = vi.fn();
    const cancel = startTimer(clockOf(time), 1000, onDue);
    expect(time.sleepers).toBe(1);
    cancel();
    expect(time.sleepers).toBe(0);
    await time.advance('1m');
    expect(onDue).not.toHaveBeenCalled();
  });

  it('does not call back if it is cancelled when it is due', async () => {
    const time = new ManualClock();
    const clock = clockOf(time);
    const fired: string[] = [];
    const cancels: (() => void)[] = [];
    for (const name of ['one', 'other']) {
      cancels.push(
        startTimer(clock, 1000, () => {
          fired.push(name);
          for (const cancel of cancels) cancel();
        }),
      );
    }
    await time.advance('1m');
    expect(fired).toEqual(['one']);
  });

  it.each([0, -1])('is due at once after %d ms', async (ms) => {
    const time = new ManualClock();
    const onDue = vi.fn();
    startTimer(clockOf(time), ms, onDue);
    expect(onDue).not.toHaveBeenCalled();
    await time.advance(0);
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  it('starts nothing for a time without end, which would keep the process alive', () => {
    const time = new ManualClock();
    const cancel = startTimer(clockOf(time), Number.POSITIVE_INFINITY, () => {});
    expect(time.sleepers).toBe(0);
    cancel();
  });
});

it('does not call back when a sleep is cancelled that had already ended', async () => {
  const time = new ManualClock();
  const onDue = vi.fn();
  let end = () => {};
  const sleep = () => new Promise<void>((resolve) => void (end = resolve));
  const cancel = startTimer({ ...withoutTimer(time), sleep }, 1000, onDue);
  end();
  cancel();
  await time.advance(0);
  expect(onDue).not.toHaveBeenCalled();
});

describe('Alarm', () => {
  it('waits for the whole time if nobody wakes it', async () => {
    const clock = new ManualClock();
    const waited = new Alarm(clock).wait(1000);
    await clock.advance(999);
    expect(await settledNow(clock, waited)).toBe('pending');
    await clock.advance(1);
    expect(await waited).toBe(true);
  });

  it('ends the wait at once when it is woken, and leaves no sleeper', async () => {
    const clock = new ManualClock();
    const alarm = new Alarm(clock);
    const waited = alarm.wait(1000);
    alarm.wake();
    expect(await waited).toBe(false);
    expect(clock.sleepers).toBe(0);
  });

  it('ends the wait at once when the signal aborts, and leaves no sleeper', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const waited = new Alarm(clock).wait(1000, controller.signal);
    controller.abort();
    expect(await waited).toBe(false);
    expect(clock.sleepers).toBe(0);
  });

  it('ignores a wake between two waits', async () => {
    const clock = new ManualClock();
    const alarm = new Alarm(clock);
    alarm.wake();
    const waited = alarm.wait(1000);
    expect(await settledNow(clock, waited)).toBe('pending');
    await clock.advance(1000);
    expect(await waited).toBe(true);
  });
});
