import { type Clock, elapsedMs, type Moment } from '../../clock.js';

/**
 * No poll is sent in the last quarter of the lock. BullMQ renews a lock at
 * half of its time at the latest, so a renewal that works is always earlier.
 */
const UNUSED_SHARE = 1 / 4;

/**
 * Until when this process has the lock of a shard, without a request to Redis.
 *
 * Redis counts the lock from the moment at which it received the renewal. That
 * is after the moment at which the renewal was sent, which counts here. Both
 * clocks count, because one of them may pause and the other may be set.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #lockMs: number;
  #renewedAt: Moment | undefined;

  constructor(clock: Clock, lockMs: number) {
    this.#clock = clock;
    this.#lockMs = lockMs;
  }

  /** @param sentAt - when the renewal was sent that Redis has confirmed. */
  renewed(sentAt: Moment): void {
    if (this.#renewedAt && sentAt.monotonic < this.#renewedAt.monotonic) return;
    this.#renewedAt = sentAt;
  }

  /** How much of the lock is left, in ms; 0 or less: another process may have the shard. */
  get leftMs(): number {
    return this.#renewedAt ? this.#lockMs - elapsedMs(this.#renewedAt, this.#clock) : 0;
  }

  /** Whether a poll that is sent now arrives while the lock is valid. */
  get mayPoll(): boolean {
    return this.leftMs > this.#lockMs * UNUSED_SHARE;
  }
}
