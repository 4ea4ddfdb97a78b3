import type { Issue, StateError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Mark } from '../state/port.js';
import type { Entry } from './entry.js';
import { keyOf } from './event-key.js';
import { EventMarks, type EventMarksOptions, type PollMarks } from './event-marks.js';
import { layoutOf } from './read.js';
import type { Runs } from './runs.js';
import { UnconfirmedEvents, type UnconfirmedEventsOptions } from './unconfirmed-events.js';

export interface LedgerOptions extends EventMarksOptions, UnconfirmedEventsOptions {
  readonly runs: Runs;
}

/** Whether listeners of an event will be called, unless it was handled. */
type WillRun = (event: OrderEvent, key: string, entry: Entry | undefined) => boolean;

/** A poll's events, each once: those still to be handled, and those that were handled before. */
export interface PartitionedPoll {
  readonly received: readonly Entry[];
  readonly fresh: readonly Entry[];
  readonly handled: readonly Entry[];
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
  #uncounting: Promise<void> | undefined;

  /** @param onUncounted - see `EventMarks`. */
  constructor(options: LedgerOptions, onUncounted: (error: StateError) => void) {
    this.#runs = options.runs;
    this.#marks = new EventMarks(options, onUncounted);
    this.#unconfirmed = new UnconfirmedEvents(options);
  }

  /**
   * Reads the marks of a poll's events, and counts in the state the attempts
   * that are about to be made. If a listener kills the process, its attempt is
   * counted, and a later process without that listener does not take the event
   * for an unhandled one.
   *
   * @param willRun - whether listeners of the event will be called, unless it was handled.
   * @throws {StateError} the state is unreachable: no event can be handled safely.
   */
  partition(polled: readonly OrderEvent[], willRun: WillRun): Promise<PartitionedPoll> {
    return this.#read(eachOnce(polled), willRun, true);
  }

  /**
   * The same for events that the hub has pushed, each once, together with what is
   * still open of their orders: the hub does not send that again with each push,
   * and a failed event must not keep the later ones of its order waiting for good.
   *
   * @throws {StateError} as `partition`.
   */
  partitionPushed(
    pushed: readonly OrderEvent[],
    isOrdered: boolean,
    willRun: WillRun,
  ): Promise<PartitionedPoll> {
    const keys = pushed.map(keyOf);
    const events = [...pushed];
    if (isOrdered) {
      for (const event of this.#unconfirmed.openOf(new Set(pushed.map(({ orderId }) => orderId)))) {
        const key = keyOf(event);
        if (keys.includes(key)) continue;
        events.push(event);
        keys.push(key);
      }
    }
    return this.#read({ events, keys }, willRun, false);
  }

  async #read({ events, keys }: KeyedEvents, willRun: WillRun, isPoll: boolean): Promise<PartitionedPoll> {
    const runs = events.map((event, index) => {
      const key = keys[index] as string;
      return willRun(event, key, this.#unconfirmed.find(event.eventId, key));
    });
    let marks: PollMarks;
    this.#runs.beginRead();
    try {
      marks = await this.#marks.read(keys, runs);
    } finally {
      this.#runs.endRead();
    }
    return this.#partition(events, keys, marks, isPoll);
  }

  /** Takes back the counted attempts that were not made. */
  uncountAttempts(entries: readonly Entry[]): void {
    if (entries.some(({ isCounted }) => isCounted)) this.#alsoUncount(this.#uncount(entries));
  }

  /** Nobody waits for `partitioned` any longer: no attempt that it counts is made. */
  uncountWhenCounted(partitioned: Promise<PartitionedPoll>): void {
    const uncounted = partitioned.then(
      ({ fresh }) => this.#uncount(fresh),
      () => {},
    );
    this.#alsoUncount(uncounted);
  }

  /** Others may still be under way. */
  #alsoUncount(uncounted: Promise<void>): void {
    const before = this.#uncounting;
    this.#uncounting = before ? before.then(() => uncounted) : uncounted;
  }

  /** Resolves when the state has the attempts of the last cycle. */
  attemptsWritten(): Promise<void> | undefined {
    return this.#uncounting;
  }

  /** Counts the coming attempt of an event that `partition` did not count. */
  async countAttempt(entry: Entry): Promise<void> {
    if (entry.isCounted) return;
    const mark = await this.#marks.countOne(entry.key);
    entry.isCounted = mark?.handled === false;
    if (mark?.handled) entry.isHandled = true;
    else entry.attempts = Math.max(entry.attempts, mark?.attempts ?? 0);
  }

  /** Listeners are about to be called. @returns how often they were, this time included. */
  attempt(entry: Entry): number {
    entry.attempts += 1;
    entry.isUncounted ||= !entry.isCounted;
    entry.isCounted = false;
    return entry.attempts;
  }

  /**
   * A failed event must never count as unhandled: an attempt that the state could not count is counted now.
   *
   * @returns undefined if nothing is to be written.
   */
  markFailed(entry: Entry, error: unknown): Promise<void> | undefined {
    this.#unconfirmed.failed(entry, error);
    if (!entry.isUncounted) return undefined;
    return this.#marks.add([entry.key], 1).then((isCounted) => {
      if (isCounted) entry.isUncounted = false;
    });
  }

  /** Nothing is left to do for the event but to acknowledge it. */
  markDone(entry: Entry): void {
    entry.isDone = true;
    this.#unconfirmed.ensure(entry);
  }

  /** False while the hub sends another event with this id that is not done. Each poll can bring one. */
  mayAcknowledge({ siblings }: Entry): boolean {
    return !siblings?.some((other) => !other.isDone && this.#unconfirmed.isAtHub(other));
  }

  /** The hub has confirmed these ids. */
  markConfirmed(eventIds: readonly string[]): void {
    this.#unconfirmed.confirmed(eventIds);
  }

  /** Ids that were received and are not confirmed. */
  unconfirmedIds(): string[] {
    return this.#unconfirmed.ids();
  }

  /** See `UnconfirmedEvents`. */
  confirmedKeys(count: number): readonly string[] {
    return this.#unconfirmed.confirmedKeys(count);
  }

  /** See `UnconfirmedEvents`. */
  get oldest(): Entry | undefined {
    return this.#unconfirmed.oldest;
  }

  /** See `UnconfirmedEvents`. */
  get lastFailed(): Entry | undefined {
    return this.#unconfirmed.lastFailed;
  }

  get unconfirmedCount(): number {
    return this.#unconfirmed.size;
  }

  #partition(
    events: readonly OrderEvent[],
    keys: readonly string[],
    { marks, isCounted }: PollMarks,
    isPoll: boolean,
  ): PartitionedPoll {
    const { entries, issues } = this.#unconfirmed.received(events, keys, isPoll);
    const fresh: Entry[] = [];
    const handled: Entry[] = [];
    entries.forEach((entry, index) => {
      const wasHandled = this.#runs.wasRecentlyHandled(entry.key);
      const mark = marks[index] as Mark;
      entry.isHandled ||= wasHandled || mark.handled;
      entry.isRedelivered ||= entry.isHandled || mark.attempts > 0;
      if (!entry.isHandled) entry.attempts = Math.max(entry.attempts, mark.attempts);
      entry.isCounted ||= isCounted(index) && !wasHandled;
      entry.isDone ||= entry.isHandled;
      (entry.isHandled ? handled : fresh).push(entry);
    });
    if (isPoll) this.#unconfirmed.forgetMissing();
    return { received: entries, fresh, handled, issues };
  }

  async #uncount(entries: readonly Entry[]): Promise<void> {
    const counted = entries.filter(({ isCounted }) => isCounted);
    for (const entry of counted) entry.isCounted = false;
    await this.#marks.add(
      counted.map(({ key }) => key),
      -1,
    );
  }
}

interface KeyedEvents {
  readonly events: readonly OrderEvent[];
  readonly keys: readonly string[];
}

/** The events without those that the hub has sent twice in one poll, and their keys. */
function eachOnce(events: readonly OrderEvent[]): KeyedEvents {
  const keys = events.map(keyOf);
  if (!layoutOf(events).hasRepeatedIds) return { events, keys };
  const byKey = new Map(events.map((event, index) => [keys[index] as string, event]));
  return { events: [...byKey.values()], keys: [...byKey.keys()] };
}
