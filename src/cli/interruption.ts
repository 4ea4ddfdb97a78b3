/**
 * Aborts a signal on Ctrl-C and SIGTERM. A second Ctrl-C ends the process at
 * once, because then no listener is left.
 */
export function interruption(): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    release();
    controller.abort();
  };
  const release = () => {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal: controller.signal, release };
}
