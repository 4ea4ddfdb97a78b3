import type { Observers } from '../async/observers.js';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { OrderEvent } from '../schemas/event.js';
import { isKnownEventType } from '../schemas/event-types.js';
import { Acknowledger } from './acknowledger.js';
import type { EventsClient } from './client.js';
import type { Ledger } from './ledger.js';
import type { LifecycleEvents, StopReport } from './poller-events.js';
import { textOf } from './run.js';

export interface OutcomesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly scrub: (text: string) => string;
  readonly events: EventsClient;
  readonly ledger: Ledger;
  readonly observers: Observers<LifecycleEvents>;
  /** Types of which the client has warned. */
  readonly warnedTypes: Set<string>;
  readonly unhandled: 'acknowledge' | 'leave';
  readonly maxAttempts: number;
}

/** The hub repeats what is not confirmed, so nothing is gained by holding up the polls for it. */
const PROMPT = { deadlineMs: 30_000, patience: { quotaMs: 60_000, shutMs: 0 } };

/** What became of events since the poller began. */
export interface Counts {
  handled: number;
  unhandled: number;
  acknowledged: number;
}

/** Draws the consequence of each event's fate: the mark, the acknowledgment, the counts, the telling. */
export class Outcomes {
  readonly #options: OutcomesOptions;
  counts: Counts = { handled: 0, unhandled: 0, acknowledged: 0 };
  acknowledger: Acknowledger;

  constructor(options: OutcomesOptions) {
    this.#options = options;
    this.acknowledger = this.#newAcknowledger();
  }

  /** A new count, and acknowledgments that linger for company again. */
  begin(): void {
    this.counts = { handled: 0, unhandled: 0, acknowledged: 0 };
    this.acknowledger = this.#newAcknowledger();
  }

  /** All listeners have resolved: noted, then confirmed. */
  async handled(event: OrderEvent): Promise<void> {
    const unwritten = await this.#options.ledger.handled(event);
    this.counts.handled += 1;
    this.settled(event);
    if (unwritten !== undefined) this.tell(unwritten);
  }

  /** Acknowledges an event that needs nothing more, with those that have waited for it. */
  settled(event: OrderEvent): void {
    for (const each of this.#options.ledger.settle(event)) this.acknowledger.add(each);
  }

  /** A listener threw or timed out: the event stays at the hub. */
  failed(event: OrderEvent, error: unknown, attempt: number): void {
    this.#options.observers.emit('listenerFailed', { event, error, attempt });
    const { eventId, eventType, orderId } = event;
    this.tell(error, `a listener of ${eventType} failed; the event stays at the hub, which sends it again`, {
      eventId,
      orderId,
      attempt,
    });
  }

  /** Its listeners were taken off after it had failed: it waits for others at the hub. */
  abandoned(event: OrderEvent): void {
    const { ledger, scrub } = this.#options;
    const message = `no listener is left for ${event.eventType}; the event stays at the hub`;
    this.failed(event, new Error(scrub(message)), ledger.attemptsOf(event));
  }

  /** Nobody listens to the type. */
  unhandled(event: OrderEvent): void {
    const acknowledged = this.#options.unhandled === 'acknowledge';
    this.counts.unhandled += 1;
    if (acknowledged) {
      this.settled(event);
      this.#warnOnce(event.eventType);
    }
    this.#options.observers.emit('unhandled', { event, acknowledged });
  }

  /** Given up without a dead-letter listener; told once an event, not at every poll that brings it again. */
  exhausted(event: OrderEvent): void {
    const { ledger, maxAttempts, scrub } = this.#options;
    if (!ledger.reportExhaustion(event)) return;
    const { eventId, eventType } = event;
    const message = `${eventType} ${eventId} has failed ${maxAttempts} times and stays at the hub; listen to 'deadLetter' to decide over it`;
    this.tell(new Error(scrub(message)));
  }

  report(timedOut: boolean): StopReport {
    const { handled, acknowledged } = this.counts;
    return { handled, acknowledged, unacknowledged: this.#options.ledger.unconfirmed(), timedOut };
  }

  /** To the `error` listeners, or the log where there are none. */
  tell(error: unknown, what = 'the poller met an error', about: object = {}): void {
    const { observers, logger } = this.#options;
    const thrown = error instanceof Error ? error : new Error(textOf(error), { cause: error });
    if (observers.has('error')) observers.emit('error', thrown);
    else logger.error(`opendelivery-client: ${what}`, { error: thrown, ...about });
  }

  /** A hub may add types, which nobody has to know; one of Spec §6.1 without a listener is probably a mistake. */
  #warnOnce(eventType: string): void {
    const { warnedTypes, logger } = this.#options;
    if (!isKnownEventType(eventType) || warnedTypes.has(eventType)) return;
    warnedTypes.add(eventType);
    logger.warn(
      `opendelivery-client: ${eventType} has no listener and is acknowledged unhandled; add one with poller.on('${eventType}', …), or set unhandled: 'leave'`,
    );
  }

  #newAcknowledger(): Acknowledger {
    const { clock, events, ledger, observers } = this.#options;
    return new Acknowledger({
      clock,
      mayAcknowledge: (event) => ledger.mayAcknowledge(event),
      isSaturated: () => events.isSaturated,
      send: (batch, signal) => events.acknowledge(batch, { signal, ...PROMPT }),
      onAcknowledged: (eventIds) => {
        ledger.confirmed(eventIds);
        this.counts.acknowledged += eventIds.length;
        observers.emit('acknowledged', { eventIds });
      },
      onFailed: (eventIds, error) => {
        observers.emit('acknowledgeFailed', { eventIds, error });
        this.tell(error);
      },
    });
  }
}
