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
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
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
export function abandonOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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

/** A controller that a signal aborts too. */
export interface Linked {
  readonly controller: AbortController;
  /** Disconnects it from the signal. */
  readonly release: () => void;
}

/**
 * `AbortSignal.any` has no release: as long as the given signal lives, some
 * versions of Node keep what was made of it.
 */
export function linkedTo(signal: AbortSignal | undefined): Linked {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort(signal.reason);
  const release = signal && onAbort(signal, () => controller.abort(signal.reason));
  return { controller, release: release ?? (() => {}) };
}
