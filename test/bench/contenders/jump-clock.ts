import type { Clock } from 'opendelivery-client';

/**
 * Real time that can jump, so that a bench need not wait for the hub's limits.
 * Every timer is a real one, as with the system clock: its cost belongs to
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
      const onAbort = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.timer(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  timer(ms: number, onDue: () => void): () => void {
    const cancel = () => {
      clearTimeout(timer);
      this.#sleepers.delete(sleeper);
    };
    const wake = () => {
      cancel();
      onDue();
    };
    // Node truncates fractions of a millisecond, and a timer may not be early.
    const timer = setTimeout(wake, Math.min(Math.ceil(Math.max(0, ms)) + 1, 2 ** 31 - 1));
    const sleeper = { dueAt: this.monotonic() + ms, wake };
    this.#sleepers.add(sleeper);
    return cancel;
  }

  /** Both clocks jump, and the sleeps that are due end. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
    const now = this.monotonic();
    for (const { dueAt, wake } of [...this.#sleepers]) if (dueAt <= now) wake();
  }
}
