import type { Clock } from 'opendelivery-client';

/**
 * Real time that can jump, so that a bench need not wait for the hub's limits.
 * Every sleep has a real timer, as with the system clock: its cost belongs to
 * what is measured.
 */
export class JumpClock implements Clock {
  #jumpedMs = 0;
  readonly #sleepers = new Set<{ readonly dueAt: number; readonly wake: () => void }>();

  now(): number {
    return Date.now() + this.#jumpedMs;
  }

  monotonic(): number {
    return performance.now() + this.#jumpedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = () => {
        clearTimeout(timer);
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        end();
        reject(signal?.reason);
      };
      const wake = () => {
        end();
        resolve();
      };
      // Node truncates fractions of a millisecond, and a sleep may not end early.
      const timer = setTimeout(wake, Math.min(Math.ceil(Math.max(0, ms)) + 1, 2 ** 31 - 1));
      const sleeper = { dueAt: this.monotonic() + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Both clocks jump, and the sleeps that are due end. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
    const now = this.monotonic();
    for (const { dueAt, wake } of [...this.#sleepers]) if (dueAt <= now) wake();
  }
}
