import { ClosedError, StateError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { isKnownEventType } from '../schemas/event-types.js';
import { Acknowledger } from './acknowledger.js';
import type { Entry } from './entry.js';
import type { MarkOwner } from './handled-marks.js';
import type { Ledger } from './ledger.js';
import { type PollerContext, WHOLE } from './poller-context.js';
import type { ErrorContext, StopReport } from './poller-events.js';
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
export class Outcomes implements MarkOwner {
  readonly #context: PollerContext;
  readonly #ledger: Ledger;
  counts: Counts = newCounts();
  #acknowledger: Acknowledger | undefined;
  /** Whether a stop has said which events are not acknowledged. */
  #hasReported = false;

  constructor(context: PollerContext, ledger: Ledger) {
    this.#context = context;
    this.#ledger = ledger;
  }

  /** Created when the first event is acknowledged. */
  get acknowledger(): Acknowledger {
    this.#acknowledger ??= this.#newAcknowledger();
    return this.#acknowledger;
  }

  /** Starts counting at 0, with a new acknowledger: one that was drained does not collect batches any more. */
  begin(): void {
    this.counts = newCounts();
    this.#hasReported = false;
    this.#acknowledger = undefined;
  }

  /** All listeners have resolved: the event is acknowledged when its mark is written. */
  handled({ entry, isLate }: Run): void {
    const { handledMarks, rememberMs, runs } = this.#context;
    entry.isHandled = true;
    runs.addHandled(entry.key, isLate);
    handledMarks.add(entry, rememberMs, this);
  }

  /** See `MarkOwner`. */
  markTried(entry: Entry, error: unknown): void {
    this.counts.handled += 1;
    this.acknowledge(entry);
    if (error === undefined) return;
    const context = this.#contextOf(entry.event);
    this.emitError(
      new StateError(`event ${context.eventId} is handled, but the mark could not be written`, {
        cause: error,
      }),
      undefined,
      context,
    );
  }

  /** If too many marks are waiting: resolves when some are written. */
  room(): Promise<void> | undefined {
    const { handledMarks } = this.#context;
    return handledMarks.isFull ? handledMarks.flush() : undefined;
  }

  /** Writes the marks of all events that were handled so far, which queues their acknowledgments. */
  async marksWritten(): Promise<void> {
    const { handledMarks } = this.#context;
    for (let pending = handledMarks.flush(); pending; pending = handledMarks.flush()) await pending;
  }

  /**
   * Listeners have thrown or rejected, or nobody waits for them any longer: the
   * event stays at the hub.
   *
   * @param isReported - whether `listenerFailed` and `error` are emitted.
   * @returns resolves when the mark is written; undefined if nothing is to be written.
   */
  failed({ entry, attempt }: Run, error: unknown, isReported: boolean): Promise<void> | undefined {
    const marked = this.#ledger.markFailed(entry, error);
    if (isReported) this.#emitFailure(entry.event, error, attempt);
    return marked;
  }

  /**
   * Acknowledges an event, and others that waited for it because they have the same id. The response to a push
   * confirms an event that no poll has returned.
   */
  acknowledge(entry: Entry): void {
    this.#ledger.markDone(entry);
    if (!this.#ledger.mayAcknowledge(entry)) return;
    if (!entry.siblings) this.#queue(entry);
    else for (const each of entry.siblings) this.#queue(each);
  }

  #queue(entry: Entry): void {
    if (!entry.isDone || entry.isQueued) return;
    entry.isQueued = true;
    if (entry.isPolled) this.acknowledger.add(entry);
    else this.#ledger.markConfirmed([entry.event.eventId]);
  }

  /** The event type has no listeners. */
  unhandled(entry: Entry): void {
    const { event } = entry;
    const acknowledged = this.#context.unhandled === 'acknowledge';
    this.counts.unhandled += 1;
    if (acknowledged) {
      this.acknowledge(entry);
      this.#warnOnce(event.eventType);
    }
    this.#context.observers.emit('unhandled', { event, acknowledged });
  }

  /** The event failed, and its listeners were removed since: it stays at the hub. */
  abandoned({ event, attempts }: Entry): void {
    const type = this.#context.quote(event.eventType);
    const message = `no listener is left for ${type}; the event stays at the hub`;
    this.#emitFailure(event, new Error(message), attempts);
  }

  /** The event used up `maxAttempts`, and there is no dead-letter listener. Reported once, not at every poll. */
  exhausted(entry: Entry): void {
    const { maxAttempts, quote } = this.#context;
    if (entry.isExhaustionReported) return;
    entry.isExhaustionReported = true;
    const context = this.#contextOf(entry.event, entry.attempts);
    const message = `${quote(entry.event.eventType)} ${context.eventId} has failed ${maxAttempts} times and stays at the hub; add a 'deadLetter' listener to handle it`;
    this.emitError(new Error(message), undefined, context);
  }

  /** Emits `error`; without a listener the error is logged. @param context - which event it is about. */
  emitError(error: unknown, message = 'error in the poller', context: ErrorContext = {}): void {
    const { observers, logger } = this.#context;
    const thrown = error instanceof Error ? error : new Error(messageOf(error), { cause: error });
    if (observers.has('error')) observers.emit('error', thrown, context);
    else logger.error(`opendelivery-client: ${message}`, { error: thrown, ...context });
  }

  report(timedOut: boolean): StopReport {
    this.#hasReported = true;
    const { handled, acknowledged } = this.counts;
    return { handled, acknowledged, unacknowledged: this.#shown(this.#ledger.unconfirmedIds()), timedOut };
  }

  #emitFailure(event: OrderEvent, error: unknown, attempt: number): void {
    const { observers, quote } = this.#context;
    observers.emit('listenerFailed', { event, error, attempt });
    this.emitError(
      error,
      `a listener of ${quote(event.eventType)} failed; the event stays at the hub, which sends it again`,
      this.#contextOf(event, attempt),
    );
  }

  #contextOf({ eventId, orderId }: OrderEvent, attempt?: number): ErrorContext {
    const { quote } = this.#context;
    const context = { eventId: quote(eventId), orderId: quote(orderId) };
    return attempt === undefined ? context : { ...context, attempt };
  }

  #shown(eventIds: readonly string[]): string[] {
    return eventIds.map((eventId) => this.#context.quote(eventId, WHOLE));
  }

  /** Nobody has to know the types that a hub adds; a type of Spec §6.1 without a listener is probably a mistake. */
  #warnOnce(eventType: string): void {
    const { warnedAbout, logger } = this.#context;
    if (!isKnownEventType(eventType) || warnedAbout.has(eventType)) return;
    warnedAbout.add(eventType);
    logger.warn(
      `opendelivery-client: ${eventType} has no listener and is acknowledged unhandled; add one with poller.on('${eventType}', …), or set unhandled: 'leave'`,
    );
  }

  #newAcknowledger(): Acknowledger {
    const { clock, events, observers } = this.#context;
    return new Acknowledger({
      clock,
      mayAcknowledge: (entry) => this.#ledger.mayAcknowledge(entry),
      send: (batch, signal) => events.acknowledge(batch, { signal, ...ACKNOWLEDGE_LIMITS }),
      isSaturated: () => events.isSaturated,
      onAcknowledged: (eventIds) => {
        this.#ledger.markConfirmed(eventIds);
        this.counts.acknowledged += eventIds.length;
        if (observers.has('acknowledged'))
          observers.emit('acknowledged', { eventIds: this.#shown(eventIds) });
      },
      onFailed: (eventIds, error) => {
        // Listeners that a stop did not wait for have resolved after `close`: the report has these events.
        if (this.#hasReported && error instanceof ClosedError) return;
        observers.emit('acknowledgeFailed', { eventIds: this.#shown(eventIds), error });
        this.emitError(error);
      },
    });
  }
}

const newCounts = (): Counts => ({ handled: 0, unhandled: 0, acknowledged: 0 });
