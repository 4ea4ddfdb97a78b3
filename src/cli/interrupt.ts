/** Aborts at Ctrl-C and SIGTERM; a second one ends the process as if there were no listener. */
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
