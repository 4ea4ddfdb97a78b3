import { Abortable } from './abortable.js';

/** What our own code can be ended with. Only an application's own is an AbortSignal: a controller costs 2.5 µs. */
export type Signal = AbortSignal | Abortable;

/** Our callbacks per signal. Each signal gets a single listener that calls them all. */
const callbacksOf = new WeakMap<
  AbortSignal,
  { readonly callbacks: Set<() => void>; readonly listener: () => void }
>();

/**
 * Calls `callback` when the signal aborts.
 *
 * One signal may end any number of calls, for example at the shutdown of a
 * process. All of them share one listener, because adding a listener takes an
 * event target longer the more it has, and Node warns of a leak from the
 * eleventh on.
 *
 * @returns a function that removes the callback.
 */
export function onAbort(signal: Signal, callback: () => void): () => void {
  if (signal instanceof Abortable) return signal.listen(callback);
  let entry = callbacksOf.get(signal);
  if (!entry) {
    const all = new Set<() => void>();
    const listener = () => {
      for (const each of all) each();
    };
    entry = { callbacks: all, listener };
    callbacksOf.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { callbacks, listener } = entry;
  // A new function each time: the same callback may be registered twice.
  const own = () => callback();
  callbacks.add(own);
  return () => {
    if (!callbacks.delete(own) || callbacks.size > 0) return;
    signal.removeEventListener('abort', listener);
    callbacksOf.delete(signal);
  };
}

/**
 * Settles like `promise`, or rejects with the signal's reason if the signal
 * aborts first. The work behind `promise` continues.
 */
export function abandonOnAbort<T>(promise: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => {});
      reject(signal.reason);
      return;
    }
    const remove = onAbort(signal, () => reject(signal.reason));
    promise.then(
      (value) => {
        remove();
        resolve(value);
      },
      (error: unknown) => {
        remove();
        reject(error);
      },
    );
  });
}

const nothing = () => {};

export interface Linked {
  readonly ended: Abortable;
  /** Disconnects it from the signal. */
  readonly release: () => void;
}

/** Ends when `signal` does, or on its own. */
export function linkedTo(signal: Signal): Linked {
  const ended = new Abortable();
  if (!signal.aborted) return { ended, release: onAbort(signal, () => ended.abort(signal.reason)) };
  ended.abort(signal.reason);
  return { ended, release: nothing };
}
