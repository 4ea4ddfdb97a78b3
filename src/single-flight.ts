import { abandonOnAbort } from './abort.js';

/**
 * One run at a time for any number of callers, who share its result. A caller
 * that aborts leaves; the run goes on for the others.
 */
export class SingleFlight<T> {
  #flight: Promise<T> | undefined;

  run(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#flight ??= work().finally(() => {
      this.#flight = undefined;
    });
    // The run may outlive every caller that waited for it; its failure is theirs, not the process's.
    this.#flight.catch(() => {});
    return abandonOnAbort(this.#flight, signal);
  }
}
