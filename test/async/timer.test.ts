import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, vi } from 'vitest';
import { Alarm, startTimer } from '../../src/async/timer.js';
import { settledNow } from '../support.js';

describe('startTimer', () => {
  it('calls back after the time, once', async () => {
    const clock = new ManualClock();
    const onDue = vi.fn();
    const cancel = startTimer(clock, 1000, onDue);
    await clock.advance(999);
    expect(onDue).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(onDue).toHaveBeenCalledTimes(1);
    cancel();
    await clock.advance('1m');
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  it('does not call back after it was cancelled, and leaves no sleeper', async () => {
    const clock = new ManualClock();
    const onDue = vi.fn();
    startTimer(clock, 1000, onDue)();
    await clock.advance('1m');
    expect(onDue).not.toHaveBeenCalled();
    expect(clock.sleepers).toBe(0);
  });
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
