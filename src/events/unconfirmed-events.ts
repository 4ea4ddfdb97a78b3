import type { Clock } from '../clock.js';
import { EVENTS_PER_POLL } from '../endpoints.js';
import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { setNewest } from './bounded-map.js';
import { keyOf } from './event-key.js';
import { duplicateIssue, pathOf } from './read.js';

export interface UnconfirmedEventsOptions {
  readonly clock: Clock;
  readonly rememberMs: number;
  /** Takes secrets out of a string that quotes an event. */
  readonly scrub: (text: string) => string;
}

/** What this process knows of an event that is not confirmed. */
export interface Entry {
  readonly event: OrderEvent;
  readonly key: string;
  /** Attempts so far, of all processes. */
  attempts: number;
  /** Whether the state has counted an attempt that has not been made yet. */
  isCounted: boolean;
  /** Whether an attempt was made that the state could not count. */
  isUncounted: boolean;
  isHandled: boolean;
  /** Handled, or to be acknowledged without listeners. */
  isDone: boolean;
  /** Whether its acknowledgment is under way, or was tried since the last poll. */
  isQueued: boolean;
  isRedelivered: boolean;
  isExhaustionReported: boolean;
  lastError: unknown;
  /** When a poll last returned it, and the number of that poll. */
  seenAt: number;
  poll: number;
}

const DAY_MS = 86_400_000;

/** The content of this many confirmed ids is kept, to detect that a hub uses an id again. */
const MAX_CONFIRMED_CONTENTS = 1000;

/** The events that the hub has sent and not confirmed. */
export class UnconfirmedEvents {
  readonly #options: UnconfirmedEventsOptions;
  /** Several entries have one id if the hub uses it twice. */
  readonly #byId = new Map<string, Entry[]>();
  /** The key of the event that last had a confirmed id. */
  readonly #confirmedKeys = new Map<string, string>();
  #poll = 0;
  /** Whether the last poll returned all that the hub has. */
  #isPollComplete = true;

  constructor(options: UnconfirmedEventsOptions) {
    this.#options = options;
  }

  ids(): string[] {
    return [...this.#byId.keys()];
  }

  withId(eventId: string): readonly Entry[] {
    return this.#byId.get(eventId) ?? [];
  }

  find(event: OrderEvent): Entry | undefined {
    const key = keyOf(event);
    return this.#byId.get(event.eventId)?.find((entry) => entry.key === key);
  }

  /** The event's entry; a new one if there is none. */
  entry(event: OrderEvent): Entry {
    return this.find(event) ?? this.#add(event);
  }

  /** Whether the hub still sends it, as far as the last poll showed. */
  isAtHub({ poll }: Entry): boolean {
    return poll === this.#poll || !this.#isPollComplete;
  }

  /** @returns the entries of a poll's events, and an issue for each event whose id an earlier event had. */
  received(events: readonly OrderEvent[]): { entries: Entry[]; issues: Issue[] } {
    const issues = this.#reusedIds(events);
    const seenAt = this.#options.clock.monotonic();
    this.#poll += 1;
    this.#isPollComplete = events.length < EVENTS_PER_POLL;
    const entries = events.map((event) => {
      const known = this.find(event);
      const entry = known ?? this.#add(event);
      entry.seenAt = seenAt;
      entry.poll = this.#poll;
      entry.isQueued = false;
      entry.isRedelivered = known !== undefined;
      return entry;
    });
    return { entries, issues };
  }

  /** The hub has confirmed these ids. */
  confirmed(eventIds: readonly string[]): void {
    for (const id of eventIds) this.#keep(id, ({ isDone }) => !isDone);
  }

  /**
   * The hub repeats what is unconfirmed. If an event is missing for which only
   * the acknowledgment was left to do, that has succeeded and its response was
   * lost. A failed event is remembered longer, because it must never count as
   * unhandled.
   */
  forgetMissing(): void {
    const { clock, rememberMs } = this.#options;
    const before = clock.monotonic() - Math.max(rememberMs, DAY_MS);
    for (const id of this.#byId.keys()) {
      this.#keep(
        id,
        ({ poll, isDone, seenAt }) =>
          poll === this.#poll || !((isDone && this.#isPollComplete) || seenAt < before),
      );
    }
  }

  #add(event: OrderEvent): Entry {
    const entry: Entry = {
      event,
      key: keyOf(event),
      attempts: 0,
      isCounted: false,
      isUncounted: false,
      isHandled: false,
      isDone: false,
      isQueued: false,
      isRedelivered: false,
      isExhaustionReported: false,
      lastError: undefined,
      seenAt: this.#options.clock.monotonic(),
      poll: this.#poll,
    };
    this.#byId.set(event.eventId, [...this.withId(event.eventId), entry]);
    return entry;
  }

  #keep(eventId: string, isKept: (entry: Entry) => boolean): void {
    const entries = this.withId(eventId);
    const kept = entries.filter(isKept);
    if (kept.length === entries.length) return;
    for (const entry of entries) {
      if (!isKept(entry)) setNewest(this.#confirmedKeys, eventId, entry.key, MAX_CONFIRMED_CONTENTS);
    }
    if (kept.length > 0) this.#byId.set(eventId, kept);
    else this.#byId.delete(eventId);
  }

  #reusedIds(events: readonly OrderEvent[]): Issue[] {
    const issues: Issue[] = [];
    for (const event of events) {
      const key = keyOf(event);
      const openKey = this.withId(event.eventId).find((entry) => entry.key !== key)?.key;
      const earlierKey = openKey ?? this.#confirmedKeys.get(event.eventId);
      if (earlierKey === undefined || earlierKey === key || this.find(event)) continue;
      issues.push(duplicateIssue(pathOf(event), this.#options.scrub(event.eventId)));
    }
    return issues;
  }
}
