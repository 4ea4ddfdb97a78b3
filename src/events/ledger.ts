import type { Clock } from '../clock.js';
import { EVENTS_PER_POLL } from '../endpoints.js';
import { type Issue, StateError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { HANDLED, type MarkLifetimes, type State } from '../state/port.js';
import { keyOf } from './event-key.js';
import { duplicateIssue, pathOf } from './read.js';
import type { Runs } from './runs.js';

export interface LedgerOptions {
  readonly state: State;
  readonly stateKey: string;
  readonly clock: Clock;
  readonly rememberMs: number;
  readonly scrub: (text: string) => string;
  readonly runs: Runs;
}

/** A failed event has to outlast its redeliveries: forgotten, it could count as unhandled. */
const ATTEMPTED_MS = 7 * 86_400_000; // a week

const DAY_MS = 86_400_000;

/** Confirmed ids whose content is known, to notice that a hub uses one again. */
const KNOWN_CONTENTS = 1000;

/** What this process knows of an event that is not confirmed. */
interface Entry {
  readonly event: OrderEvent;
  readonly key: string;
  /** Attempts so far, of all processes. */
  attempts: number;
  /** Whether the state has counted an attempt that is not made yet. */
  isCounted: boolean;
  /** Whether an attempt was made that the state could not count. */
  isUncountable: boolean;
  handled: boolean;
  /** Handled, or of a type without listeners and to be acknowledged. */
  isSettled: boolean;
  /** Whether its acknowledgment is under way, or was tried since the last poll. */
  isQueued: boolean;
  lastError: unknown;
  seenAt: number;
  /** Number of the last poll that brought it. */
  poll: number;
  /** Whether an earlier poll brought it too. */
  redelivered: boolean;
  isExhaustionReported: boolean;
}

/**
 * Which events are handled, and which of them are confirmed.
 *
 * Events are marked as *handled*, never as *seen*: one that was received and
 * failed is as unknown as a new one, or it would be confirmed when it comes
 * again and an order would be lost.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  /** Unconfirmed events by id; several where a hub uses an id twice. */
  readonly #open = new Map<string, Entry[]>();
  readonly #contents = new Map<string, string>();
  #uncounting: Promise<void> = Promise.resolve();
  #poll = 0;
  #isPollComplete = true;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /**
   * Parts a poll's events into those still to be handled and those that were.
   *
   * @returns also an issue for each event that has the id of an earlier one.
   * @throws {StateError} the state is out of reach: nothing can be handled safely.
   */
  async partition(
    events: readonly OrderEvent[],
  ): Promise<{ fresh: OrderEvent[]; handled: OrderEvent[]; issues: Issue[] }> {
    const { runs } = this.#options;
    const keys = events.map(keyOf);
    const unwritten = new Set(this.#options.runs.unwritten);
    runs.beginPartition();
    const marks = await this.#recall(keys);
    const issues = this.#reusedIds(events);
    const fresh: OrderEvent[] = [];
    const handled: OrderEvent[] = [];
    this.#poll += 1;
    this.#isPollComplete = events.length < EVENTS_PER_POLL;
    events.forEach((event, index) => {
      const mark = marks[index] ?? 0;
      const known = this.#find(event);
      const entry = known ?? this.#add(event);
      entry.seenAt = this.#options.clock.monotonic();
      entry.poll = this.#poll;
      entry.isQueued = false;
      entry.redelivered = known !== undefined || mark > 0;
      if (mark === HANDLED || unwritten.has(entry.key)) entry.handled = true;
      else entry.attempts = Math.max(entry.attempts, mark);
      entry.isSettled ||= entry.handled;
      (entry.handled ? handled : fresh).push(event);
    });
    this.#forgetMissing();
    return { fresh, handled, issues };
  }

  /**
   * Counts an attempt of each event in the state, before it is made: a process
   * that a listener kills has made it, and a later one without that listener
   * does not take the event for an unhandled one.
   */
  async countAttempts(events: readonly OrderEvent[]): Promise<void> {
    const entries = events.map((event) => this.#entry(event)).filter(({ isCounted }) => !isCounted);
    const marks = await this.#count(entries, 1);
    entries.forEach((entry, index) => {
      entry.isCounted = marks !== undefined;
      const mark = marks?.[index] ?? 0;
      if (mark === HANDLED) entry.handled = true;
      else entry.attempts = Math.max(entry.attempts, mark - 1);
    });
  }

  /** Takes back what was counted for events that were held back, once it is counted. */
  uncountAttempts(events: readonly OrderEvent[], counted: Promise<void>): void {
    this.#uncounting = counted.then(async () => {
      const held = events.map((event) => this.#find(event));
      const entries = held.filter((entry): entry is Entry => entry?.isCounted === true);
      for (const entry of entries) entry.isCounted = false;
      await this.#count(entries, -1);
    });
  }

  /** Resolves when the state has the counts of the last cycle. */
  countsWritten(): Promise<void> {
    return this.#uncounting;
  }

  /** Listeners are about to be called; how often they were, this time included. */
  attempt(event: OrderEvent): number {
    const entry = this.#entry(event);
    entry.attempts += 1;
    entry.isUncountable ||= !entry.isCounted;
    entry.isCounted = false;
    return entry.attempts;
  }

  /** How often listeners were called, in this process and those before it. */
  attemptsOf(event: OrderEvent): number {
    return this.#find(event)?.attempts ?? 0;
  }

  /** Also by another process, since the marks were read. */
  isHandled(event: OrderEvent): boolean {
    return this.#find(event)?.handled ?? false;
  }

  isRedelivered(event: OrderEvent): boolean {
    return this.#find(event)?.redelivered ?? false;
  }

  /** True the first time it is asked of an event. */
  reportExhaustion(event: OrderEvent): boolean {
    const entry = this.#entry(event);
    const isFirst = !entry.isExhaustionReported;
    entry.isExhaustionReported = true;
    return isFirst;
  }

  /** IssueCollector a failure; a failed event never becomes an unhandled one, so its attempt is counted at the latest now. */
  async failed(event: OrderEvent, error: unknown): Promise<void> {
    const entry = this.#entry(event);
    entry.lastError = error;
    if (entry.isUncountable && (await this.#count([entry], 1))) entry.isUncountable = false;
  }

  lastErrorOf(event: OrderEvent): unknown {
    return this.#find(event)?.lastError;
  }

  /**
   * Marks that all listeners have resolved.
   *
   * @returns why the mark could not be written; it is then kept in memory.
   */
  async handled(event: OrderEvent): Promise<unknown> {
    const entry = this.#entry(event);
    entry.handled = true;
    this.#options.runs.noteHandled(event);
    try {
      await this.#write([entry.key]);
      return undefined;
    } catch (cause) {
      this.#options.runs.unwritten.add(entry.key);
      const which = this.#options.scrub(event.eventId);
      return new StateError(`event ${which} is handled, but the mark could not be written`, { cause });
    }
  }

  /**
   * The event needs nothing more.
   *
   * @returns the events that may be acknowledged now: none while the hub sends
   * another event with this id that is not settled. The hub would forget both.
   */
  settle(event: OrderEvent): readonly OrderEvent[] {
    this.#entry(event).isSettled = true;
    if (!this.mayAcknowledge(event)) return [];
    const sameId = this.#open.get(event.eventId) ?? [];
    const ready = sameId.filter(({ isSettled, isQueued }) => isSettled && !isQueued);
    for (const entry of ready) entry.isQueued = true;
    return ready.map((entry) => entry.event);
  }

  /** False while the hub sends another event with this id that is not settled. A poll can bring one at any time. */
  mayAcknowledge({ eventId }: OrderEvent): boolean {
    const isPresent = ({ poll }: Entry) => poll === this.#poll || !this.#isPollComplete;
    return !this.#open.get(eventId)?.some((entry) => !entry.isSettled && isPresent(entry));
  }

  /** A last try to write the counts, and the marks that only this memory has; their failure was reported when they were made. */
  async flush(): Promise<void> {
    await Promise.all([this.#uncounting, this.#writeLate().catch(() => {})]);
  }

  confirmed(eventIds: readonly string[]): void {
    for (const id of eventIds) {
      const open = this.#open.get(id) ?? [];
      for (const { isSettled, key } of open) if (isSettled) this.#noteContent(id, key);
      this.#keep(
        id,
        open.filter(({ isSettled }) => !isSettled),
      );
    }
  }

  /** Ids received and not confirmed. */
  unconfirmed(): string[] {
    return [...this.#open.keys()];
  }

  isConfirmed(event: OrderEvent): boolean {
    return this.#find(event) === undefined;
  }

  #find(event: OrderEvent): Entry | undefined {
    const key = keyOf(event);
    return this.#open.get(event.eventId)?.find((entry) => entry.key === key);
  }

  #entry(event: OrderEvent): Entry {
    return this.#find(event) ?? this.#add(event);
  }

  #add(event: OrderEvent): Entry {
    const entry: Entry = {
      event,
      key: keyOf(event),
      attempts: 0,
      isCounted: false,
      isUncountable: false,
      handled: false,
      isSettled: false,
      isQueued: false,
      lastError: undefined,
      seenAt: this.#options.clock.monotonic(),
      poll: this.#poll,
      redelivered: false,
      isExhaustionReported: false,
    };
    this.#keep(event.eventId, [...(this.#open.get(event.eventId) ?? []), entry]);
    return entry;
  }

  #keep(eventId: string, entries: Entry[]): void {
    if (entries.length > 0) this.#open.set(eventId, entries);
    else this.#open.delete(eventId);
  }

  /** Issues of events whose id another one had in an earlier poll. */
  #reusedIds(events: readonly OrderEvent[]): Issue[] {
    const issues: Issue[] = [];
    for (const event of events) {
      const key = keyOf(event);
      const earlier = this.#open.get(event.eventId)?.find((entry) => entry.key !== key)?.key;
      const known = earlier ?? this.#contents.get(event.eventId);
      if (known === undefined || known === key || this.#find(event)) continue;
      issues.push(duplicateIssue(pathOf(event), this.#options.scrub(event.eventId)));
    }
    return issues;
  }

  #noteContent(eventId: string, key: string): void {
    this.#contents.delete(eventId);
    this.#contents.set(eventId, key);
    if (this.#contents.size <= KNOWN_CONTENTS) return;
    const oldest = this.#contents.keys().next().value;
    if (oldest !== undefined) this.#contents.delete(oldest);
  }

  get #lifetimes(): MarkLifetimes {
    const { rememberMs } = this.#options;
    return { handledMs: rememberMs, attemptedMs: Math.max(rememberMs, ATTEMPTED_MS) };
  }

  async #recall(keys: readonly string[]): Promise<readonly number[]> {
    const { state, stateKey, clock } = this.#options;
    try {
      await this.#writeLate();
      return keys.length === 0 ? [] : await state.recall(stateKey, keys, this.#lifetimes, clock);
    } catch (cause) {
      throw this.#outOfReach(cause);
    }
  }

  /** @returns undefined where the state takes no counts: then only this process counts, and no order has to wait. */
  async #count(entries: readonly Entry[], by: 1 | -1): Promise<readonly number[] | undefined> {
    if (entries.length === 0) return [];
    const { state, stateKey, clock } = this.#options;
    const keys = entries.map(({ key }) => key);
    try {
      return await state.count(stateKey, keys, by, this.#lifetimes.attemptedMs, clock);
    } catch {
      return undefined;
    }
  }

  #write(keys: readonly string[]): void | Promise<void> {
    const { state, stateKey, clock, rememberMs } = this.#options;
    return state.remember(stateKey, keys, rememberMs, clock);
  }

  /** Marks that could not be written when they were made. */
  async #writeLate(): Promise<void> {
    if (this.#options.runs.unwritten.size === 0) return;
    const keys = [...this.#options.runs.unwritten];
    await this.#write(keys);
    for (const key of keys) this.#options.runs.unwritten.delete(key);
  }

  /**
   * The hub repeats what is unconfirmed: a handled event that stays away was
   * confirmed by an acknowledgment whose answer got lost. One that failed is
   * remembered longer, because it must never count as unhandled.
   */
  #forgetMissing(): void {
    const { clock, rememberMs } = this.#options;
    const before = clock.monotonic() - Math.max(rememberMs, DAY_MS);
    for (const [id, entries] of this.#open) {
      if (entries.every(({ poll }) => poll === this.#poll)) continue;
      const isKept = ({ poll, handled, seenAt }: Entry) =>
        poll === this.#poll || !((handled && this.#isPollComplete) || seenAt < before);
      for (const entry of entries) if (!isKept(entry)) this.#noteContent(id, entry.key);
      this.#keep(id, entries.filter(isKept));
    }
  }

  #outOfReach(cause: unknown): StateError {
    const why =
      cause instanceof Error ? this.#options.scrub(`${cause.name}: ${cause.message}`) : 'no reason given';
    return new StateError(
      `the memory of handled events is out of reach (${why}); nothing is handled until it is back`,
      { cause },
    );
  }
}
