import type { Clock } from '../clock.js';
import { ACKNOWLEDGMENT_MAX_ITEMS } from '../endpoints.js';
import type { OrderEvent } from '../schemas/event.js';
import type { AcknowledgeResult } from './client.js';

export interface AcknowledgerOptions {
  readonly clock: Clock;
  /** Asked once more before an event is sent: it may have waited while a poll came. */
  readonly isDue: (event: OrderEvent) => boolean;
  readonly send: (events: readonly OrderEvent[], signal: AbortSignal) => Promise<AcknowledgeResult>;
  readonly onAcknowledged: (eventIds: readonly string[]) => void;
  readonly onFailed: (eventIds: readonly string[], error: unknown) => void;
}

/** A handled event waits at most this long for others to share its request. */
const FLUSH_AFTER_MS = 1000;

/** Requests under way at once. */
const IN_FLIGHT = 4;

/**
 * Gathers handled events into batches: sent at 100, after a second, at the end
 * of a cycle and on stop. What cannot be sent is left: the hub repeats it.
 */
export class Acknowledger {
  readonly #options: AcknowledgerOptions;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #abandon = new AbortController();
  #queue: OrderEvent[] = [];
  #timer: AbortController | undefined;
  #lingers = true;

  constructor(options: AcknowledgerOptions) {
    this.#options = options;
  }

  add(event: OrderEvent): void {
    this.#queue.push(event);
    if (this.#queue.length >= ACKNOWLEDGMENT_MAX_ITEMS && this.#inFlight.size < IN_FLIGHT) {
      this.#sendSome(ACKNOWLEDGMENT_MAX_ITEMS);
    } else if (!this.#lingers) this.#sendSome(this.#queue.length);
    else if (!this.#timer) this.#flushLater();
  }

  /** Sends what is queued; resolves when every request was tried. */
  async flush(): Promise<void> {
    this.#timer?.abort('over');
    this.#timer = undefined;
    if (this.#queue.length > 0) this.#sendSome(this.#queue.length);
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** From now on nothing waits for company: no timer is left behind. */
  stopLingering(): void {
    this.#lingers = false;
    this.#timer?.abort('over');
    this.#timer = undefined;
  }

  /** The last flush. */
  drain(): Promise<void> {
    this.stopLingering();
    return this.flush();
  }

  /** Gives up on the requests under way. */
  abandon(reason: unknown): void {
    this.#abandon.abort(reason);
  }

  #flushLater(): void {
    const timer = new AbortController();
    this.#timer = timer;
    this.#options.clock.sleep(FLUSH_AFTER_MS, timer.signal).then(
      () => {
        this.#timer = undefined;
        if (this.#queue.length > 0) this.#sendSome(this.#queue.length);
      },
      () => {},
    );
  }

  #sendSome(count: number): void {
    // One that is not due is added again when it is.
    const batch = this.#queue.splice(0, count).filter(this.#options.isDue);
    if (batch.length === 0) return;
    const request = this.#send(batch).finally(() => this.#inFlight.delete(request));
    this.#inFlight.add(request);
  }

  async #send(batch: readonly OrderEvent[]): Promise<void> {
    const { send, onAcknowledged, onFailed } = this.#options;
    try {
      const { acknowledged, rejected } = await send(batch, this.#abandon.signal);
      if (acknowledged.length > 0) onAcknowledged(acknowledged);
      for (const { ids, error } of byError(rejected)) onFailed(ids, error);
    } catch (error) {
      onFailed(
        batch.map(({ eventId }) => eventId),
        error,
      );
    }
  }
}

/** One report for each error, not for each id. */
function byError(rejected: AcknowledgeResult['rejected']): { ids: string[]; error: unknown }[] {
  const groups = new Map<unknown, string[]>();
  for (const { eventId, error } of rejected) {
    const ids = groups.get(error);
    if (ids) ids.push(eventId);
    else groups.set(error, [eventId]);
  }
  return [...groups].map(([error, ids]) => ({ error, ids }));
}
