import { HubError } from '../errors.js';
import { abandonOnAbort } from './abort.js';

/**
 * Runs one piece of work at a time and shares its result among all callers. A
 * caller that aborts stops waiting; the run continues for the others.
 *
 * A run has the limits (time-out, retries) of the caller that started it. If it
 * fails in a way that other limits may change, a caller with other limits
 * starts one more run with its own: the short time-out of one caller never
 * fails the others.
 */
export class SingleFlight<T> {
  #flight: { readonly run: Promise<T>; readonly limits: string } | undefined;

  /** @param limits - a key that is equal for callers with equal limits. */
  async run(work: () => Promise<T>, signal?: AbortSignal, limits = ''): Promise<T> {
    while (true) {
      signal?.throwIfAborted();
      this.#flight ??= { run: this.#start(work), limits };
      const flight = this.#flight;
      try {
        return await abandonOnAbort(flight.run, signal);
      } catch (error) {
        const mayDiffer = flight.limits !== limits && error instanceof HubError && error.retryable;
        if (!mayDiffer || signal?.aborted) throw error;
      }
    }
  }

  #start(work: () => Promise<T>): Promise<T> {
    const run = work().finally(() => {
      this.#flight = undefined;
    });
    // If every caller has aborted, nobody handles the failure: it must not become an unhandled rejection.
    run.catch(() => {});
    return run;
  }
}
