import { getEventListeners } from 'node:events';

/** A signal that counts its listeners. */
export function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const counts = { added: 0, removed: 0 };
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.assign(signal, {
    addEventListener: (...parameters: Parameters<typeof add>) => {
      counts.added += 1;
      add(...parameters);
    },
    removeEventListener: (...parameters: Parameters<typeof remove>) => {
      counts.removed += 1;
      remove(...parameters);
    },
  });
  return {
    signal,
    counts,
    abort: (reason: unknown) => controller.abort(reason),
    /** The number of listeners now, by Node's own count. */
    get listeners() {
      return getEventListeners(signal, 'abort').length;
    },
  };
}
