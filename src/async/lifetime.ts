import { ClosedError } from '../errors.js';
import { linkedController } from './abort.js';

/** One piece of work in progress. */
export interface Tracked {
  /** Aborts with the caller's signal, or when the lifetime is closed. */
  readonly signal: AbortSignal;
  /** The work is over. */
  readonly release: () => void;
}

/** Tracks work in progress, so that `close` can abort all of it. */
export class Lifetime {
  /** Each with the error that it is aborted with. */
  readonly #inProgress = new Map<AbortController, () => ClosedError>();
  #closed: ClosedError | undefined;
  #closing: Promise<void> | undefined;

  /** @throws {ClosedError} after `close`. */
  throwIfClosed(): void {
    if (this.#closed) throw this.#closed;
  }

  /**
   * @param caller - the caller's own signal.
   * @param errorOf - called at `close`; makes the reason with which the signal aborts.
   * @throws {ClosedError} after `close`.
   */
  track(caller?: AbortSignal, errorOf: () => ClosedError = closedError): Tracked {
    this.throwIfClosed();
    const { controller, release } = linkedController(caller);
    this.#inProgress.set(controller, errorOf);
    return {
      signal: controller.signal,
      release: () => {
        this.#inProgress.delete(controller);
        release();
      },
    };
  }

  /** Aborts the work in progress, then runs `end`. Further calls wait for the first. */
  close(end: () => Promise<void>): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  async #close(end: () => Promise<void>): Promise<void> {
    this.#closed = closedError();
    for (const [controller, errorOf] of this.#inProgress) controller.abort(errorOf());
    await end();
  }
}

const closedError = () => new ClosedError();
