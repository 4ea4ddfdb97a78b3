/** Whom a signal's one listener tells. */
const followers = new WeakMap<AbortSignal, { readonly all: Set<() => void>; readonly tell: () => void }>();

/**
 * Calls `listener` when the signal aborts, until the returned function is called.
 *
 * One signal may end any number of calls (a process's shutdown), so it gets
 * one listener of ours for all of them: adding one more takes an event target
 * as long as it has listeners, and Node warns of a leak from the eleventh on.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let following = followers.get(signal);
  if (!following) {
    const all = new Set<() => void>();
    const tell = () => {
      for (const each of all) each();
    };
    following = { all, tell };
    followers.set(signal, following);
    signal.addEventListener('abort', tell, { once: true });
  }
  const { all, tell } = following;
  const own = () => listener();
  all.add(own);
  return () => {
    if (!all.delete(own) || all.size > 0) return;
    signal.removeEventListener('abort', tell);
    followers.delete(signal);
  };
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
