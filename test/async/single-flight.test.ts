import { ConfigurationError, TimeoutError } from 'opendelivery-client';
import { expect, it, vi } from 'vitest';
import { SingleFlight } from '../../src/async/single-flight.js';
import { gate } from '../support.js';

it('runs the work once for concurrent callers, and again for a later one', async () => {
  const flight = new SingleFlight<number>();
  const { promise, open } = gate();
  const work = vi.fn(async () => {
    await promise;
    return work.mock.calls.length;
  });
  const callers = [flight.run(work), flight.run(work), flight.run(work)];
  open();
  expect(await Promise.all(callers)).toEqual([1, 1, 1]);
  expect(await flight.run(work)).toBe(2);
});

it('shares a failure, and the next caller starts a new run', async () => {
  const flight = new SingleFlight<string>();
  const failure = new Error('once');
  const work = vi.fn(async () => 'good').mockRejectedValueOnce(failure);
  const outcomes = await Promise.allSettled([flight.run(work), flight.run(work)]);
  expect(outcomes).toEqual([
    { status: 'rejected', reason: failure },
    { status: 'rejected', reason: failure },
  ]);
  expect(await flight.run(work)).toBe('good');
  expect(work).toHaveBeenCalledTimes(2);
});

it('continues for the others when one caller aborts', async () => {
  const flight = new SingleFlight<string>();
  const { promise, open } = gate<string>();
  const caller = new AbortController();
  const reason = new Error('left');
  const first = flight.run(() => promise, caller.signal);
  const second = flight.run(() => promise);
  caller.abort(reason);
  await expect(first).rejects.toBe(reason);
  open('done');
  expect(await second).toBe('done');
});

it('does not start a run for a caller that has already aborted', async () => {
  const work = vi.fn(async () => 1);
  const reason = new Error('left');
  await expect(new SingleFlight<number>().run(work, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(work).not.toHaveBeenCalled();
});

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
