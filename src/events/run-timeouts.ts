import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';

/** A run that is watched. */
interface Watched {
  readonly dueAt: number;
  readonly expire: () => void;
}

/**
 * One timer for any number of runs: all have the same time limit, so the oldest
 * one is always the next to expire. A timer for each run would cost more than
 * most listeners.
 */
export class RunTimeouts {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #watched = new Set<Watched>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Calls `onExpired` when the time is over.
   *
   * @returns a function that ends the watch.
   */
  watch(onExpired: () => void): () => void {
    const watched = { dueAt: this.#clock.monotonic() + this.#timeoutMs, expire: onExpired };
    this.#watched.add(watched);
    if (!this.#cancelTimer) this.#startTimer(this.#timeoutMs);
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size === 0) this.#stopTimer();
    };
  }

  #startTimer(ms: number): void {
    this.#cancelTimer = startTimer(this.#clock, ms, () => this.#expireDue());
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #expireDue(): void {
    this.#cancelTimer = undefined;
    const now = this.#clock.monotonic();
    for (const watched of this.#watched) {
      if (watched.dueAt > now) {
        this.#startTimer(watched.dueAt - now);
        return;
      }
      this.#watched.delete(watched);
      watched.expire();
    }
  }
}
