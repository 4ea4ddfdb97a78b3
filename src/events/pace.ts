import type { Clock } from '../clock.js';
import { untilDue } from './schedule.js';

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

  /** A poller starts. When its first poll is due depends on the polls before. */
  begin(): void {
    this.isStarted = false;
    this.isOnStandby = false;
    this.failures = 0;
    this.lastError = undefined;
  }

  /** How long until the next turn, in ms. */
  dueInMs(clock: Clock): number {
    return untilDue(clock.monotonic(), this.lastStartedAt, this.delayMs);
  }
}
