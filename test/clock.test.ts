import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { isFromFuture } from '../src/clock.js';

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
