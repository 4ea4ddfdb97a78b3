import type { Clock } from '../clock.js';
import { TimeoutError } from '../errors.js';
import { untilDue } from './schedule.js';

/** A poll that is later than this is reported. */
const OVERDUE_INTERVALS = 2;

/** When a store's next poll is due, and how its last polls went. A fleet keeps one for each store, so it is small. */
export class Pace {
  /** When the last poll was sent, or the last turn without a poll began, in monotonic ms. */
  lastStartedAt: number | undefined;
  /** How long after `lastStartedAt` the next turn is due, in ms. */
  delayMs = 0;
  /** Whether there was a good poll since the start. */
  isStarted = false;
  /** Whether another poller has the store's lease. */
  isOnStandby = false;
  /** Failed polls since the last good one. */
  failures = 0;
  /** Why the last poll failed; undefined after a good one. */
  lastError: unknown;
  /** Epoch ms of the last good poll. */
  lastPolledAt: number | undefined;
  /** When the hub may expect the next poll, in monotonic ms, whatever keeps it from being sent; infinite on standby. */
  dueAt = Number.POSITIVE_INFINITY;
  /** Whether it was reported that the poll is overdue. */
  #isReported = false;

  /** A poller starts. When its first poll is due depends on the polls before. */
  begin(dueAt: number): void {
    this.dueAt = dueAt;
    this.isStarted = false;
    this.isOnStandby = false;
    this.failures = 0;
    this.lastError = undefined;
  }

  /** How long until the next turn, in ms. */
  dueInMs(clock: Clock): number {
    return untilDue(clock.monotonic(), this.lastStartedAt, this.delayMs);
  }

  /** How long the poll has been due, once that is more than two intervals; otherwise 0. */
  overdueMs(clock: Clock, intervalMs: number): number {
    const lateMs = clock.monotonic() - this.dueAt;
    return lateMs > OVERDUE_INTERVALS * intervalMs ? Math.ceil(lateMs) : 0;
  }

  /** To be called again and again. @returns the error to be reported, once until there is a poll again. */
  newlyOverdue(clock: Clock, intervalMs: number): TimeoutError | undefined {
    const wasReported = this.#isReported;
    this.#isReported = this.overdueMs(clock, intervalMs) > 0;
    if (!this.#isReported || wasReported) return undefined;
    return new TimeoutError('nextPoll', OVERDUE_INTERVALS * intervalMs, { cause: this.lastError });
  }
}
