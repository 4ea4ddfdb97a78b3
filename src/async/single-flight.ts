import { HubError } from '../errors.js';
import { abandonOnAbort } from './abort.js';

/**
 * One run at a time for any number of callers, who share its result. A caller
 * that aborts leaves; the run goes on for the others.
 *
 * A run has the limits of the caller that began it. If it fails in a way that
 * other limits may change, a caller with other limits runs once more with its
 * own: a short time-out of one caller never fails the others.
 */
export class SingleFlight<T> {
  #flight: { readonly run: Promise<T>; readonly limits: string } | undefined;

  /** @param limits - equal for callers that have the same limits. */
  async run(work: () => Promise<T>, signal?: AbortSignal, limits = ''): Promise<T> {
    while (true) {
      signal?.throwIfAborted();
      this.#flight ??= { run: this.#begin(work), limits };
      const flight = this.#flight;
      try {
        return await abandonOnAbort(flight.run, signal);
      } catch (error) {
        const mayDiffer = flight.limits !== limits && error instanceof HubError && error.retryable;
        if (!mayDiffer || signal?.aborted) throw error;
      }
    }
  }

  #begin(work: () => Promise<T>): Promise<T> {
    const run = work().finally(() => {
      this.#flight = undefined;
    });
    // The run may outlive every caller that waited for it; its failure is theirs, not the process's.
    run.catch(() => {});
    return run;
  }
}
