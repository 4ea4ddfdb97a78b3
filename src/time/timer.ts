import { type Clock, startTimer } from './clock.js';

/**
 * Does `work` again and again, each time `ms` after the last one has ended.
 *
 * @param work - must not throw or reject.
 * @returns a function after which it does not begin again.
 */
export function repeat(clock: Clock, ms: number, work: () => void | Promise<void>): () => void {
  let isCancelled = false;
  let cancelTimer = () => {};
  const wait = () => {
    if (isCancelled) return;
    cancelTimer = startTimer(clock, ms, () => {
      const pending = work();
      if (pending) void pending.then(wait);
      else wait();
    });
  };
  wait();
  return () => {
    isCancelled = true;
    cancelTimer();
  };
}

/** Settles as `work` does, or rejects with `error` after `ms`. */
export function withinTime<T>(
  clock: Clock,
  ms: number,
  work: () => T | Promise<T>,
  error: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelTimer = startTimer(clock, ms, () => reject(error()));
    // The function is the application's: it may throw.
    new Promise<T>((settle) => settle(work())).finally(cancelTimer).then(resolve, reject);
  });
}

/** A wait that can be ended early, one at a time. */
export class Alarm {
  readonly #clock: Clock;
  #end: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves after `ms`, or as soon as `wake` is called. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        if (this.#end === end) this.#end = undefined;
        cancelTimer();
        resolve();
      };
      const cancelTimer = startTimer(this.#clock, ms, end);
      this.#end = end;
    });
  }

  /** Ends the present wait, if there is one. */
  wake(): void {
    this.#end?.();
  }
}
