import { ClosedError } from 'opendelivery-client';
import { expect, it, vi } from 'vitest';
import { Lifetime } from '../../src/async/lifetime.js';
import { countedSignal } from '../shutdown/counted-signal.js';
import { gate } from '../support.js';

const end = async () => {};

it('aborts the work in progress at close, each with its own error', async () => {
  const lifetime = new Lifetime();
  const own = new ClosedError('this one has an outcome', { outcome: 'unknown' });
  const first = lifetime.track();
  const second = lifetime.track(undefined, () => own);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
  await lifetime.close(end);
  expect(first.signal.reason).toBeInstanceOf(ClosedError);
  expect(second.signal.reason).toBe(own);
});

it('makes the error of an abort only at close', async () => {
  const lifetime = new Lifetime();
  const errorOf = vi.fn(() => new ClosedError());
  lifetime.track(undefined, errorOf);
  lifetime.track(undefined, errorOf).release();
  expect(errorOf).not.toHaveBeenCalled();
  await lifetime.close(end);
  expect(errorOf).toHaveBeenCalledTimes(1);
});

it('does not abort work that was released, and removes its listener', async () => {
  const lifetime = new Lifetime();
  const { signal: caller, counts } = countedSignal();
  const { signal, release } = lifetime.track(caller);
  release();
  await lifetime.close(end);
  expect(signal.aborted).toBe(false);
  expect(counts).toEqual({ added: 1, removed: 1 });
});

it("aborts work with the caller's signal", () => {
  const caller = new AbortController();
  const { signal } = new Lifetime().track(caller.signal);
  const reason = new Error('left');
  caller.abort(reason);
  expect(signal.reason).toBe(reason);
});

it('accepts no work after close', async () => {
  const lifetime = new Lifetime();
  lifetime.throwIfClosed();
  const closing = lifetime.close(end);
  expect(() => lifetime.throwIfClosed()).toThrow(ClosedError);
  expect(() => lifetime.track()).toThrow(ClosedError);
  await closing;
});

it('runs the end once, and every close waits for it', async () => {
  const lifetime = new Lifetime();
  const { promise, open } = gate();
  const slow = vi.fn(() => promise);
  let closed = 0;
  for (let call = 0; call < 2; call += 1) void lifetime.close(slow).then(() => void (closed += 1));
  await new Promise(setImmediate);
  expect(closed).toBe(0);
  open();
  await lifetime.close(slow);
  expect(closed).toBe(2);
  expect(slow).toHaveBeenCalledTimes(1);
});
