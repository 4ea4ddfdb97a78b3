import type { Clock } from '../clock.js';
import { onAbort } from './abort.js';

/**
 * Calls `onDue`, which must not throw, after `ms` on the clock.
 *
 * @returns a function that cancels the timer, and has no effect after `onDue`.
 */
export function startTimer(clock: Clock, ms: number, onDue: () => void): () => void {
  // It would never be due, and would keep the process alive.
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  const delayMs = Math.max(0, ms);
  return clock.timer ? clock.timer(delayMs, onDue) : timerOfSleep(clock, delayMs, onDue);
}

/** For a clock that an application has made. */
function timerOfSleep(clock: Clock, ms: number, onDue: () => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  clock.sleep(ms, signal).then(
    () => {
      if (!signal.aborted) onDue();
    },
    () => {},
  );
  return () => controller.abort();
}

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
  #end: ((isDue: boolean) => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to true after `ms`, or to false as soon as `wake` is called or the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve(false);
        return;
      }
      const end = (isDue: boolean) => {
        if (this.#end === end) this.#end = undefined;
        cancelTimer();
        stopListening?.();
        resolve(isDue);
      };
      const cancelTimer = startTimer(this.#clock, ms, () => end(true));
      const stopListening = signal && onAbort(signal, () => end(false));
      this.#end = end;
    });
  }

  /** Ends the present wait, if there is one. */
  wake(): void {
    this.#end?.(false);
  }
}
