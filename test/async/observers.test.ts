import { ConfigurationError } from 'opendelivery-client';
import { expect, it, vi } from 'vitest';
import { Observers } from '../../src/async/observers.js';
import { silentLogger } from '../../src/logger.js';

type Events = { ping: { readonly count: number }; pong: { readonly count: number } };

function observersAndLog() {
  const error = vi.fn();
  return { observers: new Observers<Events>({ ...silentLogger, error }), error };
}

it('calls the listeners of an event, in the order in which they were added', () => {
  const { observers } = observersAndLog();
  const calls: string[] = [];
  observers.on('ping', ({ count }) => calls.push(`first ${count}`));
  observers.on('ping', ({ count }) => calls.push(`second ${count}`));
  observers.on('pong', () => calls.push('another event'));
  observers.emit('ping', { count: 1 });
  expect(calls).toEqual(['first 1', 'second 1']);
});

it('calls a `once` listener once, also if it throws', () => {
  const { observers } = observersAndLog();
  const once = vi.fn(() => {
    throw new Error('broken');
  });
  const always = vi.fn();
  observers.once('ping', once);
  observers.on('ping', always);
  for (const count of [1, 2]) observers.emit('ping', { count });
  expect([once.mock.calls.length, always.mock.calls.length]).toEqual([1, 2]);
});

it('logs what a listener throws or rejects with; the other listeners still run', async () => {
  const { observers, error } = observersAndLog();
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
  const last = vi.fn();
  observers.on('ping', () => {
    throw thrown;
  });
  observers.on('ping', () => Promise.reject(rejected));
  observers.on('ping', last);
  observers.emit('ping', { count: 1 });
  await new Promise(setImmediate);
  expect(last).toHaveBeenCalledTimes(1);
  expect(error.mock.calls).toEqual([
    ["opendelivery-client: a listener of 'ping' failed", { error: thrown }],
    ["opendelivery-client: a listener of 'ping' failed", { error: rejected }],
  ]);
});

it('removes one listener, and refuses a call without a listener', () => {
  const { observers } = observersAndLog();
  const [removed, kept] = [vi.fn(), vi.fn()];
  observers.on('ping', removed);
  observers.on('ping', kept);
  observers.off('ping', removed);
  for (const method of ['on', 'once', 'off'] as const) {
    expect(() => observers[method]('ping', undefined as never)).toThrow(ConfigurationError);
  }
  observers.emit('ping', { count: 1 });
  expect([removed.mock.calls.length, kept.mock.calls.length]).toEqual([0, 1]);
  expect([observers.has('ping'), observers.has('pong')]).toEqual([true, false]);
});
