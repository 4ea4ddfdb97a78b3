import type { Clock } from '../clock.js';
import { EVENTS_PER_POLL } from '../endpoints.js';
import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { BoundedMap } from './bounded-map.js';
import { Entry } from './entry.js';
import { idOf } from './event-key.js';
import type { Quote } from './poller-context.js';
import { duplicateIssue, pathOf } from './read.js';

export interface UnconfirmedEventsOptions {
  readonly clock: Clock;
  readonly rememberMs: number;
  readonly quote: Quote;
  /** Keys of events that an earlier object knew as confirmed, the newest last. */
  readonly confirmedKeys?: readonly string[] | undefined;
}

const DAY_MS = 86_400_000;

/** The content of this many confirmed ids is kept, to detect that a hub uses an id again. */
const MAX_CONFIRMED_CONTENTS = 1000;

/** The events that the hub has sent and not confirmed. */
export class UnconfirmedEvents {
  readonly #options: UnconfirmedEventsOptions;
  /** One event of each id; the others are its `siblings`, if the hub uses an id twice. */
  readonly #byId = new Map<string, Entry>();
  /** The key of the event that last had a confirmed id. */
  readonly #confirmedKeys = new BoundedMap<string, string>(MAX_CONFIRMED_CONTENTS);
  #poll = 0;
  /** Whether the last poll returned all that the hub has. */
  #isPollComplete = true;

  constructor(options: UnconfirmedEventsOptions) {
    this.#options = options;
    for (const key of options.confirmedKeys ?? []) this.#confirmedKeys.set(idOf(key), key);
  }

  /** Keys of the events that were confirmed last, the newest last. */
  confirmedKeys(count: number): readonly string[] {
    return this.#confirmedKeys.newest(count);
  }

  /** How many ids there are. */
  get size(): number {
    return this.#byId.size;
  }

  /** The event that was received first. */
  get oldest(): Entry | undefined {
    return this.#greatest(({ receivedAt }) => -receivedAt);
  }

  /** The event whose listeners have failed last, among those that are not handled. */
  get lastFailed(): Entry | undefined {
    return this.#greatest(({ isHandled, failedAt }) => (isHandled ? undefined : failedAt));
  }

  /** An attempt has failed. */
  failed(entry: Entry, error: unknown): void {
    entry.lastError = error;
    entry.failedAt = this.#options.clock.monotonic();
  }

  *#entries(): Iterable<Entry> {
    for (const one of this.#byId.values()) yield* one.siblings ?? [one];
  }

  /** The entry with the greatest rank; those without one do not count. */
  #greatest(rankOf: (entry: Entry) => number | undefined): Entry | undefined {
    let found: Entry | undefined;
    let greatest = Number.NEGATIVE_INFINITY;
    for (const entry of this.#entries()) {
      const rank = rankOf(entry);
      if (rank === undefined || rank <= greatest) continue;
      found = entry;
      greatest = rank;
    }
    return found;
  }

  ids(): string[] {
    return [...this.#byId.keys()];
  }

  find(eventId: string, key: string): Entry | undefined {
    const entry = this.#byId.get(eventId);
    if (!entry?.siblings) return entry?.key === key ? entry : undefined;
    return entry.siblings.find((each) => each.key === key);
  }

  /** Adds an entry again that was forgotten. */
  ensure(entry: Entry): void {
    if (!entry.isUnconfirmed) this.#add(entry, this.#byId.get(entry.event.eventId));
  }

  /** Whether the hub still sends it, as far as the last poll showed. */
  isAtHub({ poll }: Entry): boolean {
    return poll === this.#poll || !this.#isPollComplete;
  }

  /**
   * @param keys - of the events, each event once.
   * @param isPoll - whether a poll has returned them. Otherwise the hub has pushed them, and what the last poll showed still holds.
   * @returns the entries of the events, and an issue for each event whose id an earlier event had.
   */
  received(
    events: readonly OrderEvent[],
    keys: readonly string[],
    isPoll: boolean,
  ): { readonly entries: Entry[]; readonly issues: Issue[] } {
    const issues: Issue[] = [];
    const seenAt = this.#options.clock.monotonic();
    if (isPoll) {
      this.#poll += 1;
      this.#isPollComplete = events.length < EVENTS_PER_POLL;
    }
    const entries = events.map((event, index) => {
      const key = keys[index] as string;
      const other = this.#byId.get(event.eventId);
      const known = other && (other.siblings ?? [other]).find((each) => each.key === key);
      if (!known) {
        if (this.#isReused(event.eventId, key, other)) {
          issues.push(duplicateIssue(pathOf(events, index), this.#options.quote(event.eventId)));
        }
        const entry = new Entry(event, key, seenAt, this.#poll);
        entry.isPolled = isPoll;
        return this.#add(entry, other);
      }
      if (isPoll) {
        known.seenAt = seenAt;
        known.poll = this.#poll;
      }
      known.isQueued = false;
      known.isRedelivered = true;
      known.isPolled ||= isPoll;
      return known;
    });
    return { entries, issues };
  }

  /** The events of these orders that are not handled, as far as the hub still has them. */
  openOf(orderIds: ReadonlySet<string>): OrderEvent[] {
    const open: OrderEvent[] = [];
    for (const entry of this.#entries()) {
      const isGone = entry.isPolled && !this.isAtHub(entry);
      if (!entry.isDone && !isGone && orderIds.has(entry.event.orderId)) open.push(entry.event);
    }
    return open;
  }

  /** The hub has confirmed these ids. */
  confirmed(eventIds: readonly string[]): void {
    for (const id of eventIds) this.#keep(id, isOpen);
  }

  /**
   * The hub repeats what is unconfirmed. If an event is missing for which only
   * the acknowledgment was left to do, that has succeeded and its response was
   * lost. A failed event is remembered longer, because it must never count as
   * unhandled.
   */
  forgetMissing(): void {
    if (this.#byId.size === 0) return;
    const { clock, rememberMs } = this.#options;
    const before = clock.monotonic() - Math.max(rememberMs, DAY_MS);
    const isKept = ({ poll, isDone, seenAt }: Entry) =>
      poll === this.#poll || !((isDone && this.#isPollComplete) || seenAt < before);
    for (const id of this.#byId.keys()) this.#keep(id, isKept);
  }

  /** @param other - an entry with the same id. */
  #add(entry: Entry, other: Entry | undefined): Entry {
    entry.isUnconfirmed = true;
    if (other) link([...(other.siblings ?? [other]), entry]);
    else this.#byId.set(entry.event.eventId, entry);
    return entry;
  }

  /** Keeps some of the entries of an id; the others are confirmed or forgotten. */
  #keep(eventId: string, isKept: (entry: Entry) => boolean): void {
    const one = this.#byId.get(eventId);
    if (!one) return;
    if (!one.siblings) {
      if (isKept(one)) return;
      this.#confirm(one);
      this.#byId.delete(eventId);
      return;
    }
    const kept: Entry[] = [];
    for (const entry of one.siblings) {
      if (isKept(entry)) kept.push(entry);
      else this.#confirm(entry);
    }
    const [first] = kept;
    if (first) {
      link(kept);
      this.#byId.set(eventId, first);
    } else this.#byId.delete(eventId);
  }

  /** The entry is confirmed or forgotten. */
  #confirm(entry: Entry): void {
    entry.isUnconfirmed = false;
    entry.siblings = undefined;
    this.#confirmedKeys.set(entry.event.eventId, entry.key);
  }

  /** Whether an earlier poll had this id with other content. Two events of one poll are reported by its reader. */
  #isReused(eventId: string, key: string, other: Entry | undefined): boolean {
    const isEarlier = (each: Entry) => each.poll !== this.#poll || each.isRedelivered;
    if (other && (other.siblings ?? [other]).some(isEarlier)) return true;
    const earlier = this.#confirmedKeys.get(eventId);
    return earlier !== undefined && earlier !== key;
  }
}

/** All of them have the same id. */
function link(entries: readonly Entry[]): void {
  for (const entry of entries) entry.siblings = entries.length > 1 ? entries : undefined;
}

const isOpen = ({ isDone }: Entry) => !isDone;
