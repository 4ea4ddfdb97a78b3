import type { OrderEvent } from '../schemas/event.js';
import { isKnownEventType } from '../schemas/event-types.js';
import { Acknowledger } from './acknowledger.js';
import type { Ledger } from './ledger.js';
import type { PollerContext } from './poller-context.js';
import type { StopReport } from './poller-events.js';
import { messageOf, type Run } from './run.js';

/** The hub repeats what is not confirmed, so a long wait here would only delay the next poll. */
const ACKNOWLEDGE_LIMITS = { deadlineMs: 30_000, patience: { quotaMs: 60_000, shutMs: 0 } };

/** Events since the poller was started. */
export interface Counts {
  handled: number;
  unhandled: number;
  acknowledged: number;
}

/**
 * Carries out what follows from an event's result: writes the mark, queues the
 * acknowledgment, counts, emits.
 */
export class Outcomes {
  readonly #context: PollerContext;
  readonly #ledger: Ledger;
  counts: Counts = newCounts();
  acknowledger: Acknowledger;

  constructor(context: PollerContext, ledger: Ledger) {
    this.#context = context;
    this.#ledger = ledger;
    this.acknowledger = this.#newAcknowledger();
  }

  /** Starts counting at 0, with a new acknowledger: one that was drained does not collect batches any more. */
  begin(): void {
    this.counts = newCounts();
    this.acknowledger = this.#newAcknowledger();
  }

  /** All listeners have resolved. */
  async handled(event: OrderEvent): Promise<void> {
    const unwritten = await this.#ledger.markHandled(event);
    this.counts.handled += 1;
    this.acknowledge(event);
    if (unwritten !== undefined) this.emitError(unwritten);
  }

  /**
   * Listeners have thrown or rejected, or nobody waits for them any longer: the
   * event stays at the hub.
   *
   * @param isReported - whether `listenerFailed` and `error` are emitted.
   * @returns resolves when the mark is written.
   */
  failed({ event, attempt }: Run, error: unknown, isReported: boolean): Promise<void> {
    const marked = this.#ledger.markFailed(event, error);
    if (isReported) this.#emitFailure(event, error, attempt);
    return marked;
  }

  /** Acknowledges an event, and others that waited for it because they have the same id. */
  acknowledge(event: OrderEvent): void {
    for (const each of this.#ledger.markDone(event)) this.acknowledger.add(each);
  }

  /** The event type has no listeners. */
  unhandled(event: OrderEvent): void {
    const acknowledged = this.#context.unhandled === 'acknowledge';
    this.counts.unhandled += 1;
    if (acknowledged) {
      this.acknowledge(event);
      this.#warnOnce(event.eventType);
    }
    this.#context.observers.emit('unhandled', { event, acknowledged });
  }

  /** The event failed, and its listeners were removed since: it stays at the hub. */
  abandoned(event: OrderEvent): void {
    const { scrub } = this.#context;
    const message = `no listener is left for ${event.eventType}; the event stays at the hub`;
    this.#emitFailure(event, new Error(scrub(message)), this.#ledger.attemptsOf(event));
  }

  /** The event used up `maxAttempts`, and there is no dead-letter listener. Reported once, not at every poll. */
  exhausted(event: OrderEvent): void {
    const { maxAttempts, scrub } = this.#context;
    if (!this.#ledger.reportExhaustion(event)) return;
    const { eventId, eventType } = event;
    const message = `${eventType} ${eventId} has failed ${maxAttempts} times and stays at the hub; add a 'deadLetter' listener to handle it`;
    this.emitError(new Error(scrub(message)));
  }

  /** Emits `error`; without a listener the error is logged. */
  emitError(error: unknown, message = 'error in the poller', fields: object = {}): void {
    const { observers, logger } = this.#context;
    const thrown = error instanceof Error ? error : new Error(messageOf(error), { cause: error });
    if (observers.has('error')) observers.emit('error', thrown);
    else logger.error(`opendelivery-client: ${message}`, { error: thrown, ...fields });
  }

  report(timedOut: boolean): StopReport {
    const { handled, acknowledged } = this.counts;
    return { handled, acknowledged, unacknowledged: this.#ledger.unconfirmedIds(), timedOut };
  }

  #emitFailure(event: OrderEvent, error: unknown, attempt: number): void {
    this.#context.observers.emit('listenerFailed', { event, error, attempt });
    const { eventId, eventType, orderId } = event;
    this.emitError(
      error,
      `a listener of ${eventType} failed; the event stays at the hub, which sends it again`,
      { eventId, orderId, attempt },
    );
  }

  /** Nobody has to know the types that a hub adds; a type of Spec §6.1 without a listener is probably a mistake. */
  #warnOnce(eventType: string): void {
    const { warnedTypes, logger } = this.#context;
    if (!isKnownEventType(eventType) || warnedTypes.has(eventType)) return;
    warnedTypes.add(eventType);
    logger.warn(
      `opendelivery-client: ${eventType} has no listener and is acknowledged unhandled; add one with poller.on('${eventType}', …), or set unhandled: 'leave'`,
    );
  }

  #newAcknowledger(): Acknowledger {
    const { clock, events, observers } = this.#context;
    return new Acknowledger({
      clock,
      mayAcknowledge: (event) => this.#ledger.mayAcknowledge(event),
      send: (batch, signal) => events.acknowledge(batch, { signal, ...ACKNOWLEDGE_LIMITS }),
      isSaturated: () => events.isSaturated,
      onAcknowledged: (eventIds) => {
        this.#ledger.markConfirmed(eventIds);
        this.counts.acknowledged += eventIds.length;
        observers.emit('acknowledged', { eventIds });
      },
      onFailed: (eventIds, error) => {
        observers.emit('acknowledgeFailed', { eventIds, error });
        this.emitError(error);
      },
    });
  }
}

const newCounts = (): Counts => ({ handled: 0, unhandled: 0, acknowledged: 0 });
