import { ConfigurationError, TimeoutError } from 'opendelivery-client';
import { expect, it, vi } from 'vitest';
import { SingleFlight } from '../../src/async/promises.js';
import { gate } from '../support.js';

it('leaves no unhandled rejection when every caller has aborted', async () => {
  const { promise, fail } = gate<never>();
  const caller = new AbortController();
  const only = new SingleFlight<never>().run(() => promise, caller.signal);
  caller.abort(new Error('left'));
  await expect(only).rejects.toThrow('left');
  fail(new Error('nobody waits for this'));
  await new Promise(setImmediate);
});

it('runs once more for a caller with other limits after a failure that may be due to the limits', async () => {
  const flight = new SingleFlight<string>();
  const tooShort = new TimeoutError('token', 500);
  const hurried = flight.run(() => Promise.reject(tooShort), undefined, 'short');
  const patient = vi.fn(async () => 'good');
  const others = [flight.run(patient, undefined, 'long'), flight.run(patient, undefined, 'long')];
  const alike = flight.run(patient, undefined, 'short');
  await expect(hurried).rejects.toBe(tooShort);
  await expect(alike).rejects.toBe(tooShort);
  expect(await Promise.all(others)).toEqual(['good', 'good']);
  expect(patient).toHaveBeenCalledTimes(1);
});

it('shares a failure that other limits do not change', async () => {
  const flight = new SingleFlight<string>();
  const wrong = new ConfigurationError('clientId', 'is missing');
  const first = flight.run(() => Promise.reject(wrong), undefined, 'short');
  const work = vi.fn(async () => 'good');
  const second = flight.run(work, undefined, 'long');
  await expect(first).rejects.toBe(wrong);
  await expect(second).rejects.toBe(wrong);
  expect(work).not.toHaveBeenCalled();
});
