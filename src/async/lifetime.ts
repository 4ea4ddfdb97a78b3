import { ClosedError } from '../errors.js';

/** Knows the work in progress, so that `close` can abort all of it. */
export class Lifetime {
  readonly #aborts = new Set<() => void>();
  #closed: ClosedError | undefined;
  #closing: Promise<void> | undefined;

  /** Whether no work is in progress. */
  get isIdle(): boolean {
    return this.#aborts.size === 0;
  }

  /** @throws {ClosedError} after `close`. */
  throwIfClosed(): void {
    if (this.#closed) throw this.#closed;
  }

  /** Work begins; `abort` is called at `close`. */
  add(abort: () => void): void {
    this.#aborts.add(abort);
  }

  /** The work is over. */
  delete(abort: () => void): void {
    this.#aborts.delete(abort);
  }

  /** Aborts the work in progress, then runs `end`. Further calls wait for the first. */
  close(end: () => Promise<void>): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  async #close(end: () => Promise<void>): Promise<void> {
    this.#closed = new ClosedError();
    for (const abort of this.#aborts) abort();
    await end();
  }
}
