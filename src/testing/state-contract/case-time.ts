import { systemClock } from '../../time/clock.js';
import type { ManualClock } from '../manual-clock.js';

/** In real time, this much later than its end an entry must be gone: databases round to milliseconds. */
const GRACE_MS = 5;

/** An hour: how far the clocks of two machines may differ. */
const HOUR_MS = 3_600_000;

/** The time of one run of a case: moved by hand if the state follows the clock, and waited for otherwise. */
export class CaseTime {
  /** Only a rule that needs virtual time may advance it. */
  readonly clock: ManualClock;
  readonly isVirtual: boolean;
  /** A lifetime whose end the case waits for. All others in the case must be much longer, or 0. */
  readonly shortMs: number;
  readonly #startedAt = systemClock.monotonic();

  /** @param isVirtual - whether the state measures with the clock that it gets, and not with one of its own. */
  constructor(clock: ManualClock, isVirtual: boolean, realShortMs: number) {
    this.clock = clock;
    this.isVirtual = isVirtual;
    this.shortMs = isVirtual ? 1000 : realShortMs;
  }

  /** Passes as much of `shortMs` as an entry must survive: all but 1 ms, or half of it in real time. */
  async passMostOfShort(): Promise<void> {
    if (this.isVirtual) await this.clock.advance(this.shortMs - 1);
    else await systemClock.sleep(this.shortMs / 2);
  }

  /** Passes the rest of `shortMs` after `passMostOfShort`. */
  async passRestOfShort(): Promise<void> {
    if (this.isVirtual) await this.clock.advance(1);
    else await systemClock.sleep(this.shortMs / 2 + GRACE_MS);
  }

  async passShort(): Promise<void> {
    await this.passMostOfShort();
    await this.passRestOfShort();
  }

  /** Sets the wall clock back by an hour; only in virtual time. */
  setBackAnHour(): void {
    this.clock.step(-HOUR_MS);
  }

  /** An epoch instant that the clock of the state has certainly reached. */
  reachedAt(): number {
    return this.isVirtual ? this.clock.now() : Math.floor(systemClock.now() - HOUR_MS);
  }

  /** How much real time has passed since the case began; undefined in virtual time. */
  slackMs(): number | undefined {
    return this.isVirtual ? undefined : systemClock.monotonic() - this.#startedAt;
  }
}
