import type { Clock } from '../../clock.js';

/** When something that is stored ends, in epoch ms, and how long its lifetime was when it was written. */
export interface Expiry {
  readonly until: number;
  readonly forMs: number;
}

export function expiryIn(forMs: number, clock: Clock): Expiry {
  return { until: clock.now() + forMs, forMs };
}

/** Milliseconds that are left by the wall clock. A clock that was set back does not make a lifetime longer. */
export function remainingMs({ until, forMs }: Expiry, now: number): number {
  return Math.min(until - now, forMs);
}

/** A larger difference between two calls is not a correction of the clock's speed: it was set, or the machine slept. */
const STEP_MS = 1000;

/** Notices that the wall clock was set: then every expiry that was written before is wrong. */
export class WallClockSteps {
  #clock: Clock | undefined;
  #offsetMs = 0;

  /** Whether the wall clock was set since the last call with the same clock. */
  happened(clock: Clock): boolean {
    const offsetMs = clock.now() - clock.monotonic();
    const isStep = this.#clock === clock && Math.abs(offsetMs - this.#offsetMs) > STEP_MS;
    this.#clock = clock;
    this.#offsetMs = offsetMs;
    return isStep;
  }
}
