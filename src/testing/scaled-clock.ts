import { type Clock, systemClock } from '../clock.js';
import { type Duration, durationMs } from './duration.js';

/**
 * Real time, `factor` times as fast. The wall clock and the monotonic clock
 * run at the same speed. Pass the same clock to the client and the mock hub.
 *
 * @example
 * ```ts
 * const clock = scaledClock(60); // a minute takes one second
 * const mock = createMockHub({ clock });
 * const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
 * ```
 *
 * @param factor - greater than 0; 60 makes a minute pass in one second.
 * @throws {TypeError} `factor` is not a finite number greater than 0.
 */
export function scaledClock(factor: number): Clock {
  return new ScaledClock(factor);
}

/** What `scaledClock` returns. The console and the control API change its speed and make it jump. */
export class ScaledClock implements Clock {
  readonly #startedAt = systemClock.now();
  #factor: number;
  /** The real and the virtual monotonic time of the last change. */
  #since = { real: systemClock.monotonic(), virtual: 0 };
  /** Each ends a real sleep early, because the clock has changed. */
  readonly #sleepers = new Set<AbortController>();

  constructor(factor: number) {
    this.#factor = checkFactor(factor);
  }

  /** How fast the clock runs; 1 is real time. */
  get factor(): number {
    return this.#factor;
  }

  /** @throws {TypeError} it is not a finite number greater than 0. */
  set factor(factor: number) {
    checkFactor(factor);
    this.#change(0);
    this.#factor = factor;
  }

  /** Makes both clocks jump forward, and wakes the sleepers that became due. */
  advance(duration: Duration): void {
    this.#change(durationMs(duration));
  }

  /** Whole milliseconds, as of the system clock: the mock hub sends them to applications in any language. */
  now(): number {
    return Math.floor(this.#startedAt + this.monotonic());
  }

  monotonic(): number {
    return this.#since.virtual + (systemClock.monotonic() - this.#since.real) * this.#factor;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const dueAt = this.monotonic() + ms;
    // A real timer may fire a fraction of a millisecond early. At this speed that can be seconds.
    do await this.#pause(Math.max(0, dueAt - this.monotonic()) / this.#factor, signal);
    while (this.monotonic() < dueAt);
  }

  #change(ms: number): void {
    this.#since = { real: systemClock.monotonic(), virtual: this.monotonic() + ms };
    for (const sleeper of this.#sleepers) sleeper.abort();
  }

  /** Sleeps in real time until the clock changes. */
  async #pause(realMs: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const sleeper = new AbortController();
    const end = () => sleeper.abort();
    signal?.addEventListener('abort', end, { once: true });
    this.#sleepers.add(sleeper);
    try {
      await systemClock.sleep(realMs, sleeper.signal);
    } catch {
      signal?.throwIfAborted(); // otherwise the clock has changed: the caller looks again
    } finally {
      this.#sleepers.delete(sleeper);
      signal?.removeEventListener('abort', end);
    }
  }
}

function checkFactor(factor: number): number {
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw new TypeError('factor must be a finite number greater than 0');
}
