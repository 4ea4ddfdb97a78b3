/** Resolves when the signal aborts. */
export const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/**
 * Aborts a signal on Ctrl-C and SIGTERM, until it is disposed. A second Ctrl-C ends the process at once, because
 * then no listener is left.
 */
export function listenForInterruption() {
  const controller = new AbortController();
  const { signal } = controller;
  const onSignal = () => {
    release();
    controller.abort();
  };
  const release = () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal, interrupted: abortOf(signal), [Symbol.dispose]: release };
}
