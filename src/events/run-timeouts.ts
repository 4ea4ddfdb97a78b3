import type { Clock } from '../clock.js';
import { firstOf } from '../first-of.js';

interface Watched {
  readonly dueAt: number;
  readonly expire: () => void;
}

/**
 * One timer for any number of runs: all have the same time, so the oldest is
 * always the next due. A timer each would cost more than most listeners.
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

  /** Settles as `work` does, or with what `expire` returns when the time is over first. */
  watch<T, E>(work: Promise<T>, expire: () => E): Promise<T | E> {
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        dueAt: this.#clock.monotonic() + this.#timeoutMs,
        expire: () => resolve(expire()),
      };
      this.#watched.add(watched);
      work.then(resolve, reject).finally(() => this.#forget(watched));
      if (!this.#timer) void this.#tick();
    });
  }

  #forget(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size === 0) this.#timer?.abort('over');
  }

  async #tick(): Promise<void> {
    for (const oldest of firstOf(this.#watched)) {
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
