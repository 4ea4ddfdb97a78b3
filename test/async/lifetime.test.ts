import { ClosedError } from 'opendelivery-client';
import { expect, it, vi } from 'vitest';
import { Lifetime } from '../../src/async/lifetime.js';
import { gate } from '../support.js';

const end = async () => {};

it('aborts the work in progress at close, and no work that is over', async () => {
  const lifetime = new Lifetime();
  const [running, over] = [vi.fn(), vi.fn()];
  lifetime.add(running);
  lifetime.add(over);
  lifetime.delete(over);
  expect(running).not.toHaveBeenCalled();
  await lifetime.close(end);
  expect([running.mock.calls.length, over.mock.calls.length]).toEqual([1, 0]);
});

it('accepts no work after close', async () => {
  const lifetime = new Lifetime();
  lifetime.throwIfClosed();
  const closing = lifetime.close(end);
  expect(() => lifetime.throwIfClosed()).toThrow(ClosedError);
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
