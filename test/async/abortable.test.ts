import { expect, it, vi } from 'vitest';
import { Abortable } from '../../src/async/abortable.js';

it('aborts once, with the first reason, and calls its listeners', () => {
  const abortable = new Abortable();
  const [kept, removed] = [vi.fn(), vi.fn()];
  abortable.once('abort', kept);
  abortable.on('abort', removed);
  abortable.removeListener('abort', removed);
  abortable.throwIfAborted();
  expect([abortable.aborted, abortable.reason]).toEqual([false, undefined]);
  abortable.abort('first');
  abortable.abort('second');
  expect([abortable.aborted, abortable.reason]).toEqual([true, 'first']);
  expect([kept.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0]);
  expect(() => abortable.throwIfAborted()).toThrow('first');
});

it('does not call a listener that another one has removed', () => {
  const abortable = new Abortable();
  const removed = vi.fn();
  const remove: { second?: () => void } = {};
  abortable.listen(() => remove.second?.());
  remove.second = abortable.listen(removed);
  abortable.abort('over');
  expect(removed).not.toHaveBeenCalled();
});

it.each(['before', 'after'])('has a signal that aborts with it, created %s the abort', (when) => {
  const abortable = new Abortable();
  if (when === 'before') expect(abortable.signal.aborted).toBe(false);
  abortable.abort('over');
  expect([abortable.signal.aborted, abortable.signal.reason]).toEqual([true, 'over']);
  expect(abortable.signal).toBe(abortable.signal);
});
