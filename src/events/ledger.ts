import type { Issue, StateError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { HANDLED } from '../state/port.js';
import { keyOf } from './event-key.js';
import { EventMarks, type EventMarksOptions } from './event-marks.js';
import type { Runs } from './runs.js';
import { type Entry, UnconfirmedEvents } from './unconfirmed-events.js';

export interface LedgerOptions extends Omit<EventMarksOptions, 'unwritten'> {
  readonly runs: Runs;
}

/** A poll's events: those still to be handled, and those that were handled before. */
export interface PartitionedPoll {
  readonly fresh: readonly OrderEvent[];
  readonly handled: readonly OrderEvent[];
  /** One for each event that has the id of an earlier event. */
  readonly issues: readonly Issue[];
}

/**
 * Which events are handled, and which of them are confirmed.
 *
 * Events are marked as *handled*, never as *seen*. An event that was received
 * and failed must look like a new one when the hub sends it again: otherwise it
 * would be acknowledged, and an order would be lost.
 */
export class Ledger {
  readonly #runs: Runs;
  readonly #marks: EventMarks;
  readonly #unconfirmed: UnconfirmedEvents;
  #uncounting: Promise<void> = Promise.resolve();

  constructor(options: LedgerOptions) {
    this.#runs = options.runs;
    this.#marks = new EventMarks({ ...options, unwritten: options.runs.unwritten });
    this.#unconfirmed = new UnconfirmedEvents(options);
  }

  /** @throws {StateError} the state is unreachable: no event can be handled safely. */
  async partition(events: readonly OrderEvent[]): Promise<PartitionedPoll> {
    this.#runs.clearRecentlyHandled();
    const marks = await this.#marks.read(events.map(keyOf));
    const { entries, issues } = this.#unconfirmed.received(events);
    const fresh: OrderEvent[] = [];
    const handled: OrderEvent[] = [];
    entries.forEach((entry, index) => {
      const mark = marks[index] ?? 0;
      entry.isRedelivered ||= mark > 0;
      if (mark === HANDLED) entry.isHandled = true;
      else entry.attempts = Math.max(entry.attempts, mark);
      entry.isDone ||= entry.isHandled;
      (entry.isHandled ? handled : fresh).push(events[index] as OrderEvent);
    });
    this.#unconfirmed.forgetMissing();
    return { fresh, handled, issues };
  }

  /**
   * Counts an attempt of each event in the state before it is made. If a
   * listener kills the process, the attempt is counted, and a later process
   * without that listener does not take the event for an unhandled one.
   */
  async countAttempts(events: readonly OrderEvent[]): Promise<void> {
    const entries = events
      .map((event) => this.#unconfirmed.entry(event))
      .filter(({ isCounted }) => !isCounted);
    const marks = await this.#count(entries, 1);
    entries.forEach((entry, index) => {
      entry.isCounted = marks !== undefined;
      const mark = marks?.[index] ?? 0;
      if (mark === HANDLED) entry.isHandled = true;
      else entry.attempts = Math.max(entry.attempts, mark - 1);
    });
  }

  /** Once `counted` resolves: takes back the counted attempts that were not made. */
  uncountAttempts(events: readonly OrderEvent[], counted: Promise<void>): void {
    this.#uncounting = counted.then(async () => {
      const found = events.map((event) => this.#unconfirmed.find(event));
      const entries = found.filter((entry): entry is Entry => entry?.isCounted === true);
      for (const entry of entries) entry.isCounted = false;
      await this.#count(entries, -1);
    });
  }

  /** Resolves when the state has the attempts of the last cycle. */
  attemptsWritten(): Promise<void> {
    return this.#uncounting;
  }

  /** Listeners are about to be called. @returns how often they were, this time included. */
  attempt(event: OrderEvent): number {
    const entry = this.#unconfirmed.entry(event);
    entry.attempts += 1;
    entry.isUncounted ||= !entry.isCounted;
    entry.isCounted = false;
    return entry.attempts;
  }

  /** How often listeners were called, by this process and earlier ones. */
  attemptsOf(event: OrderEvent): number {
    return this.#unconfirmed.find(event)?.attempts ?? 0;
  }

  /** Another process may have handled it since the marks were read. */
  isHandled(event: OrderEvent): boolean {
    return this.#unconfirmed.find(event)?.isHandled ?? false;
  }

  isRedelivered(event: OrderEvent): boolean {
    return this.#unconfirmed.find(event)?.isRedelivered ?? false;
  }

  lastErrorOf(event: OrderEvent): unknown {
    return this.#unconfirmed.find(event)?.lastError;
  }

  /** @returns whether this is the first report of the event. */
  reportExhaustion(event: OrderEvent): boolean {
    const entry = this.#unconfirmed.entry(event);
    const isFirst = !entry.isExhaustionReported;
    entry.isExhaustionReported = true;
    return isFirst;
  }

  /** @returns why the state did not take the mark; memory keeps it then. */
  markHandled(event: OrderEvent): Promise<StateError | undefined> {
    const entry = this.#unconfirmed.entry(event);
    entry.isHandled = true;
    this.#runs.addRecentlyHandled(event);
    return this.#marks.writeHandled(entry.key, event.eventId);
  }

  /** A failed event must never count as unhandled: an attempt that the state could not count is counted now. */
  async markFailed(event: OrderEvent, error: unknown): Promise<void> {
    const entry = this.#unconfirmed.entry(event);
    entry.lastError = error;
    if (entry.isUncounted && (await this.#count([entry], 1))) entry.isUncounted = false;
  }

  /**
   * Nothing is left to do for the event but to acknowledge it.
   *
   * @returns the events that may be acknowledged now: none while the hub sends
   * another event with this id that is not done. The hub would forget both.
   */
  markDone(event: OrderEvent): readonly OrderEvent[] {
    this.#unconfirmed.entry(event).isDone = true;
    if (!this.mayAcknowledge(event)) return [];
    const ready = this.#unconfirmed
      .withId(event.eventId)
      .filter(({ isDone, isQueued }) => isDone && !isQueued);
    for (const entry of ready) entry.isQueued = true;
    return ready.map((entry) => entry.event);
  }

  /** False while the hub sends another event with this id that is not done. Each poll can bring one. */
  mayAcknowledge({ eventId }: OrderEvent): boolean {
    const entries = this.#unconfirmed.withId(eventId);
    return !entries.some((entry) => !entry.isDone && this.#unconfirmed.isAtHub(entry));
  }

  /** The hub has confirmed these ids. */
  markConfirmed(eventIds: readonly string[]): void {
    this.#unconfirmed.confirmed(eventIds);
  }

  isConfirmed(event: OrderEvent): boolean {
    return this.#unconfirmed.find(event) === undefined;
  }

  /** Ids that were received and are not confirmed. */
  unconfirmedIds(): string[] {
    return this.#unconfirmed.ids();
  }

  /** Tries once more to write what the state did not take. */
  async flush(): Promise<void> {
    await Promise.all([this.#uncounting, this.#marks.flush()]);
  }

  #count(entries: readonly Entry[], by: 1 | -1): Promise<readonly number[] | undefined> {
    return this.#marks.count(
      entries.map(({ key }) => key),
      by,
    );
  }
}
