import { drain } from '../async/drain.js';
import type { Clock } from '../clock.js';

/** The result of a run that took too long, or that nobody waits for any longer. */
export const LATE = Symbol('late');

interface Watched {
  readonly dueAt: number;
  readonly expire: () => void;
  readonly abandon: () => void;
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
  #timer: AbortController | undefined;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Settles as `work` does, or calls `onExpired` and resolves to `LATE` when the time is over. */
  watch<T>(work: Promise<T>, onExpired: () => void): Promise<T | typeof LATE> {
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        dueAt: this.#clock.monotonic() + this.#timeoutMs,
        expire: () => {
          onExpired();
          resolve(LATE);
        },
        abandon: () => resolve(LATE),
      };
      this.#watched.add(watched);
      work.then(resolve, reject).finally(() => this.#forget(watched));
      if (!this.#timer) void this.#tick();
    });
  }

  /** Resolves all calls of `watch` to `LATE`, and leaves no timer. */
  abandonAll(): void {
    for (const watched of this.#watched) watched.abandon();
    this.#watched.clear();
    this.#timer?.abort('over');
  }

  #forget(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size === 0) this.#timer?.abort('over');
  }

  async #tick(): Promise<void> {
    for (const oldest of drain(this.#watched)) {
      const timer = new AbortController();
      this.#timer = timer;
      const leftMs = oldest.dueAt - this.#clock.monotonic();
      if (leftMs > 0) await this.#clock.sleep(leftMs, timer.signal).catch(() => {});
      if (!this.#watched.has(oldest) || oldest.dueAt > this.#clock.monotonic()) continue;
      this.#watched.delete(oldest);
      oldest.expire();
    }
    this.#timer = undefined;
  }
}
