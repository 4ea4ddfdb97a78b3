import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` when the signal aborts, until the returned function is called.
 *
 * One signal may end any number of calls (a process's shutdown): Node's
 * warning about many listeners would take that for a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  try {
    setMaxListeners(0, signal);
  } catch {
    // Not Node's own signal (jsdom's, a polyfill's), and so without that warning.
  }
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Settles as `promise` does, or rejects with the signal's reason when it aborts first; `promise` goes on. */
export function abandonOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => {});
      reject(signal.reason);
      return;
    }
    const release = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(release);
  });
}

/** An AbortController that also aborts with any of `signals`; `release` takes its listeners off them again. */
export function linkedController(...signals: (AbortSignal | undefined)[]): {
  controller: AbortController;
  release: () => void;
} {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  for (const signal of signals) {
    if (!signal) continue;
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    releases.push(onAbort(signal, () => controller.abort(signal.reason)));
  }
  return {
    controller,
    release: () => {
      for (const release of releases) release();
    },
  };
}
