import type { OrderEvent } from '../schemas/event.js';

/** What this process knows of an event that is not confirmed. */
export class Entry {
  readonly event: OrderEvent;
  readonly key: string;
  /** Attempts so far, of all processes. */
  attempts = 0;
  /** Whether the state has counted an attempt that has not been made yet. */
  isCounted = false;
  /** Whether an attempt was made that the state could not count. */
  isUncounted = false;
  isHandled = false;
  /** Handled, or to be acknowledged without listeners. */
  isDone = false;
  /** Whether its acknowledgment is under way, or was tried since the last poll. */
  isQueued = false;
  isRedelivered = false;
  isExhaustionReported = false;
  /** Whether a poll has returned it. One that was only pushed needs no acknowledgment. */
  isPolled = true;
  lastError: unknown;
  /** When its last attempt failed, in monotonic ms. */
  failedAt: number | undefined;
  /** When this process first had it, in monotonic ms. */
  readonly receivedAt: number;
  /** When a poll last returned it, and the number of that poll. */
  seenAt: number;
  poll: number;
  /** All events with this id, if the hub has used it more than once. */
  siblings: readonly Entry[] | undefined;
  /** Whether the hub has sent it and not confirmed it. */
  isUnconfirmed = true;

  constructor(event: OrderEvent, key: string, seenAt: number, poll: number) {
    this.event = event;
    this.key = key;
    this.receivedAt = seenAt;
    this.seenAt = seenAt;
    this.poll = poll;
  }
}
