import { type Clock, realTimer, sleepBy, systemClock } from '../time/clock.js';
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

interface Timer {
  readonly dueAt: number;
  /** Starts the real timer again, because the clock has changed. */
  readonly arm: () => void;
}

/** What `scaledClock` returns. The console and the control API change its speed and make it jump. */
export class ScaledClock implements Clock {
  readonly #startedAt = systemClock.now();
  #factor: number;
  /** The real and the virtual monotonic time of the last change. */
  #since = { real: systemClock.monotonic(), virtual: 0 };
  readonly #timers = new Set<Timer>();

  constructor(factor: number) {
    this.#factor = checkFactor(factor);
  }

  /** How fast the clock runs; 1 is real time. */
  get factor(): number {
    return this.#factor;
  }

  /** @throws {TypeError} it is not a finite number greater than 0. */
  set factor(factor: number) {
    this.#change(0, checkFactor(factor));
  }

  /** Makes both clocks jump forward, and wakes the sleepers that became due. */
  advance(duration: Duration): void {
    this.#change(durationMs(duration), this.#factor);
  }

  /** Whole milliseconds, as of the system clock: the mock hub sends them to applications in any language. */
  now(): number {
    return Math.floor(this.#startedAt + this.monotonic());
  }

  monotonic(): number {
    return this.#since.virtual + (systemClock.monotonic() - this.#since.real) * this.#factor;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((delayMs, onDue) => this.timer(delayMs, onDue), ms, signal);
  }

  timer(ms: number, onDue: () => void, isBackground = false): () => void {
    const dueAt = this.monotonic() + ms;
    let cancel = () => {};
    const arm = () => {
      cancel();
      cancel = realTimer(Math.max(0, dueAt - this.monotonic()) / this.#factor, onTimer, isBackground);
    };
    const onTimer = () => {
      // A real timer may fire a fraction of a millisecond early. At this speed that can be seconds.
      if (this.monotonic() < dueAt) return arm();
      this.#timers.delete(timer);
      onDue();
    };
    const timer: Timer = { dueAt, arm };
    this.#timers.add(timer);
    arm();
    return () => {
      this.#timers.delete(timer);
      cancel();
    };
  }

  #change(ms: number, factor: number): void {
    this.#since = { real: systemClock.monotonic(), virtual: this.monotonic() + ms };
    this.#factor = factor;
    // Those that are due now fire in the sequence in which they were due.
    for (const { arm } of [...this.#timers].sort((one, other) => one.dueAt - other.dueAt)) arm();
  }
}

function checkFactor(factor: number): number {
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw new TypeError('factor must be a finite number greater than 0');
}
