import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { FailurePause } from '../../src/auth/failure-pause.js';
import { fixRandom } from '../http/support.js';

const MINUTE_MS = 60_000;

it('is not active before a failure', () => {
  const pause = new FailurePause(new ManualClock(), 8 * MINUTE_MS);
  expect([pause.isActive, pause.hasFailed, pause.lastError]).toEqual([false, false, undefined]);
});

it('takes a minute after the first failure, twice as long after each further one, up to its limit', async () => {
  const clock = new ManualClock();
  const pause = new FailurePause(clock, 8 * MINUTE_MS);
  for (const minutes of [1, 2, 4, 8, 8]) {
    const error = new Error(`before ${minutes} min`);
    pause.failed(error);
    await clock.advance(minutes * MINUTE_MS - 1);
    expect([pause.isActive, pause.lastError]).toEqual([true, error]);
    await clock.advance(1);
    expect([pause.isActive, pause.hasFailed]).toEqual([false, true]);
  }
});

it('starts again with a minute after a success', async () => {
  const clock = new ManualClock();
  const pause = new FailurePause(clock, 8 * MINUTE_MS);
  pause.failed(new Error('first'));
  pause.failed(new Error('second'));
  pause.succeeded();
  expect([pause.isActive, pause.hasFailed, pause.lastError]).toEqual([false, false, undefined]);
  pause.failed(new Error('third'));
  await clock.advance(MINUTE_MS);
  expect(pause.isActive).toBe(false);
});

it('is lengthened by up to its jitter', async () => {
  fixRandom(0.5);
  const clock = new ManualClock();
  const pause = new FailurePause(clock, 8 * MINUTE_MS, 0.5);
  pause.failed(new Error('first'));
  await clock.advance(1.25 * MINUTE_MS - 1);
  expect(pause.isActive).toBe(true);
  await clock.advance(1);
  expect(pause.isActive).toBe(false);
});
