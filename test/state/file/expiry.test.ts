import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { expiryIn, remainingMs, WallClockSteps } from '../../../src/state/file/expiry.js';

it('expiryIn dates an entry by the wall clock', () => {
  const clock = new ManualClock('2026-01-05T12:00:00Z');
  expect(expiryIn(1000, clock)).toEqual({ until: clock.now() + 1000, forMs: 1000 });
});

it.each([
  ['in time', 400, 600],
  ['at the end', 1000, 0],
  ['later', 1500, -500],
  ['after the clock was set back', -5000, 1000],
])('remainingMs %s', (_when, now, left) => {
  expect(remainingMs({ until: 1000, forMs: 1000 }, now)).toBe(left);
});

describe('WallClockSteps', () => {
  it('notices that the wall clock was set, forward or back, once each', async () => {
    const clock = new ManualClock();
    const steps = new WallClockSteps();
    const seen: boolean[] = [steps.happened(clock)];
    await clock.advance('1h');
    seen.push(steps.happened(clock));
    clock.step(1001);
    seen.push(steps.happened(clock), steps.happened(clock));
    clock.step(-1001);
    seen.push(steps.happened(clock));
    clock.step(1000);
    seen.push(steps.happened(clock));
    expect(seen).toEqual([false, false, true, false, true, false]);
  });

  it('does not compare different clocks', () => {
    const steps = new WallClockSteps();
    steps.happened(new ManualClock('2001-01-01T00:00:00Z'));
    expect(steps.happened(new ManualClock('2026-01-01T00:00:00Z'))).toBe(false);
  });
});
