import { onAbort } from './abort.js';
import { drain } from './drain.js';

/** Lets at most `max` calls run at a time; the others wait, first come first served. */
export class Limit {
  readonly #max: number;
  /** Created when a call has to wait: there are several limits for each store. */
  #waiting: Set<() => void> | undefined;
  /** Takes the waiting calls in turn. */
  #turns: Iterator<() => void> | undefined;
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
    const turn = this.enter(signal);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Takes a place: at once, or when it is this caller's turn. `leave` must follow. */
  enter(signal?: AbortSignal): Promise<void> | undefined {
    if (this.isFull) return this.#place(signal);
    this.#running += 1;
    return undefined;
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
          this.#waiting?.delete(take);
          stopListening?.();
          reject(signal.reason);
        });
      this.#waiting ??= new Set();
      this.#turns ??= drain(this.#waiting);
      this.#waiting.add(take);
    });
  }

  /** Passes a place on. */
  leave(): void {
    const next = this.#turns?.next();
    if (!next || next.done) {
      this.#turns = undefined;
      this.#running -= 1;
      return;
    }
    this.#waiting?.delete(next.value);
    next.value();
  }
}
