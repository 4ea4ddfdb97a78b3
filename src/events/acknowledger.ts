import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';
import { ACKNOWLEDGMENT_MAX_ITEMS } from '../endpoints.js';
import type { OrderEvent } from '../schemas/event.js';
import type { AcknowledgeResult } from './client.js';
import type { Entry } from './entry.js';

export interface AcknowledgerOptions {
  readonly clock: Clock;
  /** Checked again when an event is sent: a poll may have come while it waited in the queue. */
  readonly mayAcknowledge: (entry: Entry) => boolean;
  readonly send: (events: readonly OrderEvent[], signal: AbortSignal) => Promise<AcknowledgeResult>;
  /** Whether another request would have to wait: the queue then grows beyond one batch. */
  readonly isSaturated: () => boolean;
  readonly onAcknowledged: (eventIds: readonly string[]) => void;
  readonly onFailed: (eventIds: readonly string[], error: unknown) => void;
}

/** How long a handled event waits for others to share its request. */
const FLUSH_AFTER_MS = 1000;

/**
 * Collects handled events into batches, sent at 100 events, after a second, at
 * the end of a cycle and on stop. An event that could not be acknowledged is
 * dropped here: the hub sends it again.
 */
export class Acknowledger {
  readonly #options: AcknowledgerOptions;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #queue: Entry[] = [];
  #cancelTimer: (() => void) | undefined;
  #isDraining = false;

  constructor(options: AcknowledgerOptions) {
    this.#options = options;
  }

  add(entry: Entry): void {
    this.#queue.push(entry);
    const isFull = this.#queue.length >= ACKNOWLEDGMENT_MAX_ITEMS;
    if (isFull && !this.#options.isSaturated()) this.#send(ACKNOWLEDGMENT_MAX_ITEMS);
    else if (this.#isDraining) this.#send();
    else if (!this.#cancelTimer) this.#flushLater();
  }

  /** Sends the queue. @returns undefined if there is nothing to wait for. */
  flush(): Promise<void> | undefined {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#send();
    return this.#inFlight.size > 0 ? this.#settled() : undefined;
  }

  /** Resolves when every request has ended. */
  async #settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** The last flush: events that are added later are sent at once, and no timer is left. */
  drain(): Promise<void> | undefined {
    this.#isDraining = true;
    return this.flush();
  }

  /** Aborts the requests in flight. */
  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  #flushLater(): void {
    this.#cancelTimer = startTimer(this.#options.clock, FLUSH_AFTER_MS, () => {
      this.#cancelTimer = undefined;
      this.#send();
    });
  }

  #send(count = this.#queue.length): void {
    const sent = this.#queue.length === count ? this.#queue : this.#queue.slice(0, count);
    this.#queue = sent === this.#queue ? [] : this.#queue.slice(count);
    const batch: OrderEvent[] = [];
    // An event that may not be acknowledged now is added again when it may.
    for (const entry of sent) if (this.#options.mayAcknowledge(entry)) batch.push(entry.event);
    if (batch.length === 0) return;
    const request = this.#request(batch).finally(() => this.#inFlight.delete(request));
    this.#inFlight.add(request);
  }

  async #request(batch: readonly OrderEvent[]): Promise<void> {
    const { send, onAcknowledged, onFailed } = this.#options;
    try {
      const { acknowledged, rejected } = await send(batch, this.#abort.signal);
      if (acknowledged.length > 0) onAcknowledged(acknowledged);
      for (const [error, ids] of idsByError(rejected)) onFailed(ids, error);
    } catch (error) {
      onFailed(
        batch.map(({ eventId }) => eventId),
        error,
      );
    }
  }
}

/** One report per error, not per id. */
function idsByError(rejected: AcknowledgeResult['rejected']): ReadonlyMap<unknown, string[]> {
  const groups = new Map<unknown, string[]>();
  for (const { eventId, error } of rejected) {
    const ids = groups.get(error);
    if (ids) ids.push(eventId);
    else groups.set(error, [eventId]);
  }
  return groups;
}
