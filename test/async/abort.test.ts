import { describe, expect, it, vi } from 'vitest';
import { abandonOnAbort, linkedTo, onAbort } from '../../src/async/abort.js';
import { countedSignal } from '../shutdown/counted-signal.js';

describe('onAbort', () => {
  it('calls every callback of a signal once, through one listener', () => {
    const { abort, signal, counts } = countedSignal();
    const callbacks = [vi.fn(), vi.fn(), vi.fn()];
    for (const callback of callbacks) onAbort(signal, callback);
    expect(counts).toEqual({ added: 1, removed: 0 });
    abort('once');
    abort('twice');
    for (const callback of callbacks) expect(callback).toHaveBeenCalledTimes(1);
  });

  it('does not call a callback that was removed, and still calls the others', () => {
    const controller = new AbortController();
    const [removed, kept] = [vi.fn(), vi.fn()];
    const remove = onAbort(controller.signal, removed);
    onAbort(controller.signal, kept);
    remove();
    remove();
    controller.abort();
    expect(removed).not.toHaveBeenCalled();
    expect(kept).toHaveBeenCalledTimes(1);
  });

  it('does not call a callback that another one has removed', () => {
    const controller = new AbortController();
    const removed = vi.fn();
    const remove: { second?: () => void } = {};
    onAbort(controller.signal, () => remove.second?.());
    remove.second = onAbort(controller.signal, removed);
    controller.abort();
    expect(removed).not.toHaveBeenCalled();
  });

  it('counts the same callback twice if it was registered twice', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const remove = onAbort(controller.signal, callback);
    onAbort(controller.signal, callback);
    remove();
    controller.abort();
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('removes its listener together with the last callback, and adds it again for a later one', () => {
    const { abort, signal, counts } = countedSignal();
    const first = onAbort(signal, () => {});
    onAbort(signal, () => {})();
    expect(counts).toEqual({ added: 1, removed: 0 });
    first();
    expect(counts).toEqual({ added: 1, removed: 1 });
    const later = vi.fn();
    onAbort(signal, later);
    expect(counts).toEqual({ added: 2, removed: 1 });
    abort('later');
    expect(later).toHaveBeenCalledTimes(1);
  });
});

describe('abandonOnAbort', () => {
  const reason = new Error('the caller has left');
  const failure = new Error('the work failed');

  it('returns the promise itself if there is no signal', () => {
    const promise = Promise.resolve(1);
    expect(abandonOnAbort(promise, undefined)).toBe(promise);
  });

  it('settles like the promise, and removes its listener', async () => {
    const { signal, counts } = countedSignal();
    expect(await abandonOnAbort(Promise.resolve(1), signal)).toBe(1);
    await expect(abandonOnAbort(Promise.reject(failure), signal)).rejects.toBe(failure);
    expect(counts).toEqual({ added: 2, removed: 2 });
  });

  it("rejects with the signal's reason if the signal aborts first, whatever the promise does later", async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const abandoned = abandonOnAbort(work, controller.signal);
    controller.abort(reason);
    await expect(abandoned).rejects.toBe(reason);
    fail(failure);
    // A rejection that nobody handles would fail the run.
    await new Promise(setImmediate);
  });

  it('rejects at once if the signal has already aborted', async () => {
    const signal = AbortSignal.abort(reason);
    await expect(abandonOnAbort(Promise.reject(failure), signal)).rejects.toBe(reason);
    await new Promise(setImmediate);
  });
});

describe('linkedTo', () => {
  const reason = new Error('the caller has left');

  it('ends with the reason of the signal', () => {
    const outer = new AbortController();
    const { controller } = linkedTo(outer.signal);
    expect(controller.signal.aborted).toBe(false);
    outer.abort(reason);
    expect(controller.signal.reason).toBe(reason);
  });

  it('ends on its own if there is no signal', () => {
    const { controller, release } = linkedTo(undefined);
    controller.abort(reason);
    expect(controller.signal.reason).toBe(reason);
    release();
  });

  it('has ended from the start if the signal has already aborted', () => {
    const { controller, release } = linkedTo(AbortSignal.abort(reason));
    expect(controller.signal.reason).toBe(reason);
    release();
  });

  it('does not abort the signal, nor follow it after `release`', () => {
    const { abort, signal, counts } = countedSignal();
    const first = linkedTo(signal);
    first.controller.abort(reason);
    expect(signal.aborted).toBe(false);
    const second = linkedTo(signal);
    first.release();
    second.release();
    abort(reason);
    expect(second.controller.signal.aborted).toBe(false);
    expect(counts).toEqual({ added: 1, removed: 1 });
  });
});
