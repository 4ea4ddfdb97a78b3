import type { Clock } from '../clock.js';
import { linkedController } from './abort.js';

/**
 * Calls `onDue` after `ms` on the clock.
 *
 * @returns a function that cancels the timer, and has no effect after `onDue`.
 */
export function startTimer(clock: Clock, ms: number, onDue: () => void): () => void {
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(onDue, () => {});
  return () => timer.abort('cancelled');
}

/** A wait that can be ended early, one at a time. */
export class Alarm {
  readonly #clock: Clock;
  #waiting: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves to true after `ms`, or to false as soon as `wake` is called or the signal aborts. */
  async wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    const { controller, release } = linkedController(signal);
    this.#waiting = controller;
    try {
      await this.#clock.sleep(ms, controller.signal);
      return true;
    } catch {
      return false;
    } finally {
      this.#waiting = undefined;
      release();
    }
  }

  /** Ends the present wait, if there is one. */
  wake(): void {
    this.#waiting?.abort('woken');
  }
}
