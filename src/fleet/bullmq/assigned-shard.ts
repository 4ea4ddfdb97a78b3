import { type Clock, elapsedMs, type Moment } from '../../time/clock.js';
import { Alarm } from '../../time/timer.js';

/**
 * No poll is sent in the last quarter of the lock. BullMQ renews a lock at
 * half of its time at the latest, so a renewal that works is always earlier.
 */
const UNUSED_SHARE = 1 / 4;

/**
 * A shard whose job this process has got, until it returns or loses it. It knows
 * how long the lock lasts without a request to Redis.
 *
 * Redis counts the lock from the moment at which it received the renewal. That
 * is after the moment at which the renewal was sent, which counts here. Both
 * clocks count, because one of them may pause and the other may be set.
 */
export class AssignedShard {
  readonly shard: number;
  /** What BullMQ recognizes the lock by. */
  readonly token: string;
  readonly #clock: Clock;
  readonly #lockMs: number;
  readonly #alarm: Alarm;
  #renewedAt: Moment | undefined;
  #endedAt: number | undefined;
  #isLost = false;

  constructor(shard: number, token: string, clock: Clock, lockMs: number) {
    this.shard = shard;
    this.token = token;
    this.#clock = clock;
    this.#lockMs = lockMs;
    this.#alarm = new Alarm(clock);
  }

  /** When it was returned or lost, in epoch ms. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** Whether it was not ended, and has its lock. */
  get isAssigned(): boolean {
    return this.#endedAt === undefined && this.#leftMs > 0;
  }

  /** Whether a poll that is sent now arrives while the lock is valid. */
  get mayPoll(): boolean {
    return this.#endedAt === undefined && this.#leftMs > this.#lockMs * UNUSED_SHARE;
  }

  /** Whether another process may have it. */
  get isLost(): boolean {
    return this.#isLost || this.#leftMs <= 0;
  }

  /** @param sentAt - when the renewal was sent that Redis has confirmed. */
  renewed(sentAt: Moment): void {
    if (this.#renewedAt && sentAt.monotonic < this.#renewedAt.monotonic) return;
    this.#renewedAt = sentAt;
  }

  /** This process returns the shard. */
  end(): void {
    this.#endedAt ??= this.#clock.now();
    this.#alarm.wake();
  }

  /** Another process may have the shard. */
  lose(): void {
    this.#isLost = true;
    this.end();
  }

  /** Resolves when it was ended, or its lock has ended because no renewal was confirmed. */
  async untilEnded(): Promise<void> {
    while (this.isAssigned) await this.#alarm.wait(this.#leftMs);
  }

  /** How much of the lock is left, in ms. */
  get #leftMs(): number {
    return this.#renewedAt ? this.#lockMs - elapsedMs(this.#renewedAt, this.#clock) : 0;
  }
}
