import { onAbort } from '../../async/promises.js';
import { type Duration, durationMs } from '../../testing/duration.js';
import { type Clock, systemClock } from '../../time/clock.js';
import { Alarm } from '../../time/timer.js';

/** On a fast clock, a minute of the hub is a moment: an application gets this much real time in any case. */
const MIN_REAL_MS = 8000;

/** Without a sign, a condition is looked at again after this much real time. */
const LOOK_AGAIN_MS = 250;

/** Waits for what an application does. */
export class Watch {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #alarms = new Set<Alarm>();

  /** @param signal - ends every wait; they reject with its reason. */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Something has happened at the hub. */
  changed(): void {
    for (const alarm of this.#alarms) alarm.wake();
  }

  /**
   * Resolves to the first result of `find` that is not undefined; to undefined if none comes in time.
   *
   * @param by - in time of the hub, and at least `minRealMs` of real time.
   */
  async until<T>(
    find: () => T | undefined,
    by: Duration,
    minRealMs = Math.min(MIN_REAL_MS, durationMs(by)),
  ): Promise<T | undefined> {
    const dueAt = this.#clock.monotonic() + durationMs(by);
    const earliestEnd = systemClock.monotonic() + minRealMs;
    const alarm = new Alarm(systemClock);
    this.#alarms.add(alarm);
    const stopListening = onAbort(this.#signal, () => alarm.wake());
    try {
      for (;;) {
        const found = find();
        if (found !== undefined) return found;
        const isDue = this.#clock.monotonic() >= dueAt;
        if (isDue && (this.#signal.aborted || systemClock.monotonic() >= earliestEnd)) return undefined;
        this.#signal.throwIfAborted();
        await alarm.wait(LOOK_AGAIN_MS);
      }
    } finally {
      stopListening();
      this.#alarms.delete(alarm);
    }
  }

  /** Resolves when time has passed at the hub. */
  sleep(duration: Duration): Promise<void> {
    return this.#clock.sleep(durationMs(duration), this.#signal);
  }
}
