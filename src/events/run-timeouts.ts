import { drain } from '../async/drain.js';
import type { Clock } from '../clock.js';

interface Watched {
  readonly dueAt: number;
  readonly expire: () => void;
  readonly abandon: () => void;
}

/**
 * One timer for any number of runs: all have the same time, so the oldest is
 * always the next due. A timer each would cost more than most listeners.
 */
export class RunTimeouts<Late> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #abandoned: Late;
  readonly #watched = new Set<Watched>();
  #timer: AbortController | undefined;

  /** @param abandoned - what `watch` gives for runs nobody waits for any longer. */
  constructor(clock: Clock, timeoutMs: number, abandoned: Late) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#abandoned = abandoned;
  }

  /** Settles as `work` does, or with what `expire` returns when the time is over first. */
  watch<T>(work: Promise<T>, expire: () => Late): Promise<T | Late> {
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        dueAt: this.#clock.monotonic() + this.#timeoutMs,
        expire: () => resolve(expire()),
        abandon: () => resolve(this.#abandoned),
      };
      this.#watched.add(watched);
      work.then(resolve, reject).finally(() => this.#forget(watched));
      if (!this.#timer) void this.#tick();
    });
  }

  /** Waits for none of them any longer, and leaves no timer. */
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
