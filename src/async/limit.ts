import { onAbort } from './abort.js';

/** Lets at most `max` calls run at a time; the others wait, first come first served. */
export class Limit {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the next call would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#max;
  }

  /**
   * Settles as `work` does, which starts at once if the limit allows it.
   *
   * @param signal - takes a waiting call out of the queue, which then rejects with the signal's reason.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.isFull) await this.#place(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Resolves when a call that ends has passed its place on. */
  #place(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const take = () => {
        stopListening?.();
        resolve();
      };
      const stopListening =
        signal &&
        onAbort(signal, () => {
          this.#waiting.delete(take);
          stopListening?.();
          reject(signal.reason);
        });
      this.#waiting.add(take);
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
