import type { Issue } from '../errors/index.js';
import { BoundedMap } from '../events/bounded-map.js';
import { duplicateIssue, keyOf, pathOf } from '../events/read.js';
import { instantOf } from '../schemas/date-time.js';
import type { OrderEvent } from '../schemas/event.js';
import { lifecycleRank, NEEDS_ANSWER } from '../schemas/event-types.js';
import type { Mark } from '../state/port.js';
import type { Audience } from './listeners.js';
import type { ResolvedPollerOptions } from './options.js';
import { findOpen, OpenEvent, openEvents, type Store } from './store.js';

const DAY_MS = 86_400_000;

/** What is received is handled again or for the first time, see `receive`. */
export interface Plan {
  /** Each event once, in the order of the response. */
  readonly received: readonly OpenEvent[];
  /** How many were handled before, or with an inbox stored before. */
  readonly redelivered: number;
  /** Acknowledged, and not handled here: those handled before; with an inbox, all that are stored or need no row. */
  readonly done: readonly OpenEvent[];
  /** The others, in one array for each order. */
  readonly queues: readonly (readonly OpenEvent[])[];
}

/**
 * The events of a poll or of a push become open events, each once. An event that is
 * open already stays the same object, with all that is known of it.
 *
 * @param now - monotonic ms.
 * @returns also an issue for each event whose id an earlier event had.
 */
export function arrive(
  store: Store,
  events: readonly OrderEvent[],
  isPoll: boolean,
  now: number,
): { readonly received: OpenEvent[]; readonly issues: Issue[] } {
  const received = new Set<OpenEvent>();
  const issues: Issue[] = [];
  events.forEach((event, index) => {
    const key = keyOf(event);
    const known = store.open && findOpen(store, event.eventId, key);
    if (known && received.has(known)) return;
    if (!known && isReused(store, event.eventId, key)) {
      issues.push(duplicateIssue(pathOf(events, index), store.account.quote(event.eventId)));
    }
    // A push that had to wait is read again: the same object was not sent again.
    if (known) received.add(known.event === event ? known : seenAgain(store, known, isPoll, now));
    else {
      const open = new OpenEvent(event, key, isPoll, store.polls, now);
      store.open ??= new Map();
      open.next = store.open.get(event.eventId);
      store.open.set(event.eventId, open);
      received.add(open);
    }
  });
  return { received: [...received], issues };
}

function seenAgain(store: Store, open: OpenEvent, isPoll: boolean, now: number): OpenEvent {
  if (isPoll) {
    open.isPolled = true;
    open.poll = store.polls;
    open.seenAt = now;
  }
  open.isRedelivered = true;
  // Its acknowledgment was lost, or not tried. Without a listener, that is decided anew: one may have failed elsewhere.
  if (open.isMarked) open.status = isPoll && wasUnheard(open) ? 'waiting' : 'marked';
  return open;
}

const wasUnheard = ({ attempts, reportedAs }: OpenEvent) => attempts === 0 && reportedAs === 'unhandled';

/** Whether an earlier poll had this id with other content. Two events of one poll are reported by its reader. */
function isReused(store: Store, eventId: string, key: string): boolean {
  for (let each = store.open?.get(eventId); each; each = each.next) {
    if (each.poll !== store.polls || each.isRedelivered) return true;
  }
  const earlier = store.confirmed?.get(eventId);
  return earlier !== undefined && earlier !== key;
}

/**
 * Applies the marks of events, as they were in the state, and says what follows.
 *
 * An event that was received and failed looks like a new one when the hub sends it
 * again: only a mark *handled* keeps it from its listeners.
 *
 * @param marks - one for each event.
 * @param coming - the state has counted their coming attempts, unless they were handled or attempted before.
 */
export function receive(
  received: readonly OpenEvent[],
  marks: readonly Mark[],
  coming: ReadonlySet<OpenEvent>,
): Plan {
  const done: OpenEvent[] = [];
  const fresh: OpenEvent[] = [];
  received.forEach((open, index) => {
    const mark = marks[index] as Mark;
    open.isRead = true;
    if (mark.handled && open.status !== 'running') open.status = 'marked';
    // An earlier reading has counted the coming attempt, which has not begun.
    const attempts = open.counted === 'ahead' ? mark.attempts - 1 : mark.attempts;
    open.isRedelivered ||= mark.handled || attempts > 0;
    if (!mark.handled) open.attempts = Math.max(open.attempts, attempts);
    if (coming.has(open) && !mark.handled && mark.attempts === 0) open.counted = 'ahead';
    if (open.isMarked) done.push(open);
    else if (!open.isHandled) fresh.push(open);
  });
  return { received, redelivered: done.length, done, queues: queuesByOrder(fresh) };
}

/** What is to be done with an open event now. */
export type Decision =
  | 'run'
  /** It has used up its attempts. */
  | 'deadLetter'
  /** Nothing: it is handled. */
  | 'done'
  /** Its listeners run, or its retry is not due, or its only listeners are `once` listeners at work. */
  | 'wait'
  /** No listener is for its type. */
  | 'acknowledge'
  | 'leave'
  /** It had listeners and failed; now it has none. */
  | 'abandoned';

/**
 * Asked before an attempt is counted, before a run, and again if an attempt was counted alone.
 *
 * @param asOf - when its poll or push came, in monotonic ms.
 */
export function decide(
  open: OpenEvent,
  { registrations, isBusy }: Audience,
  { maxAttempts, unhandled }: Pick<ResolvedPollerOptions, 'maxAttempts' | 'unhandled'>,
  asOf: number,
): Decision {
  if (open.isHandled) return 'done';
  if (open.status === 'running' || asOf < open.retryAt) return 'wait';
  if (open.attempts >= maxAttempts) return 'deadLetter';
  if (isBusy) return 'wait';
  if (registrations.length > 0) return 'run';
  if (open.attempts > 0) return 'abandoned';
  return mustStay(unhandled, open.event.eventType) ? 'leave' : 'acknowledge';
}

/** Whether an event without a listener is not acknowledged. */
export const mustStay = (unhandled: ResolvedPollerOptions['unhandled'], eventType: string): boolean =>
  unhandled === 'leave' || NEEDS_ANSWER.has(eventType);

/** The hub has confirmed an id: its events are gone, except those that are not marked, which it sends again under that id. */
export function confirm(store: Store, eventId: string): void {
  keep(store, eventId, (open) => !open.isMarked && !wasUnheard(open));
}

/**
 * The hub repeats what is unconfirmed. If an event is missing for which only the
 * acknowledgment was left to do, that has succeeded and its response was lost. A failed
 * event is remembered longer, because it must never count as unhandled.
 *
 * @param now - monotonic ms.
 */
export function forgetMissing(store: Store, rememberMs: number, now: number): void {
  const before = now - Math.max(rememberMs, DAY_MS);
  const { polls, isPollComplete } = store;
  for (const eventId of store.open?.keys() ?? []) {
    keep(store, eventId, ({ poll, isMarked, status, seenAt }) => {
      if (poll === polls || status === 'running') return true;
      return !(isMarked && isPollComplete) && seenAt >= before;
    });
  }
}

function keep(store: Store, eventId: string, isKept: (open: OpenEvent) => boolean): void {
  let kept: OpenEvent | undefined;
  for (let each = store.open?.get(eventId); each; ) {
    const { next }: OpenEvent = each;
    each.next = undefined;
    if (isKept(each)) {
      each.next = kept;
      kept = each;
    } else {
      store.confirmed ??= new BoundedMap(store.rememberedIds);
      store.confirmed.set(eventId, each.key);
    }
    each = next;
  }
  if (kept) store.open?.set(eventId, kept);
  else store.open?.delete(eventId);
  if (store.open?.size === 0) store.open = undefined;
}

/** Whether the hub still sends it, as far as the last poll showed. */
const isAtHub = ({ polls, isPollComplete }: Store, { poll }: OpenEvent) => poll === polls || !isPollComplete;

/** False while the hub sends another event with this id that is not marked: both would be confirmed. */
export function mayAcknowledge(store: Store, { event }: OpenEvent): boolean {
  for (let each = store.open?.get(event.eventId); each; each = each.next) {
    if (!each.isMarked && isAtHub(store, each)) return false;
  }
  return true;
}

/** The events of these orders that are not handled, as far as the hub still has them. */
export function openOf(store: Store, orderIds: ReadonlySet<string>): OpenEvent[] {
  return [...openEvents(store)].filter(
    (open) => !open.isHandled && orderIds.has(open.event.orderId) && (!open.isPolled || isAtHub(store, open)),
  );
}

/** Groups events by order, orders with a CREATED first. */
export function queuesByOrder(events: readonly OpenEvent[]): OpenEvent[][] {
  const byOrder = new Map<string, OpenEvent[]>();
  for (const open of events) {
    const others = byOrder.get(open.event.orderId);
    if (others) others.push(open);
    else byOrder.set(open.event.orderId, [open]);
  }
  // New orders first: a hub cancels an order that is not confirmed in time, and reading a thousand takes ten minutes (Spec §8).
  const created: OpenEvent[][] = [];
  const others: OpenEvent[][] = [];
  for (const queue of byOrder.values()) {
    const sorted = queue.length > 1 ? inSequence(queue) : queue;
    (sorted[0]?.event.eventType === 'CREATED' ? created : others).push(sorted);
  }
  return others.length > 0 ? [...created, ...others] : created;
}

/**
 * By `createdAt`, then by lifecycle rank, then by arrival: in the standard, all events of an order may have the order's
 * time. If a time is missing, all count as the same: a CANCELLED without one does not come before its CREATED.
 */
function inSequence(queue: readonly OpenEvent[]): OpenEvent[] {
  const dated = queue.map((open) => {
    const { createdAt, eventType } = open.event;
    return { open, at: instantOf(createdAt), rank: lifecycleRank(eventType) };
  });
  const areDated = dated.every(({ at }) => at !== undefined);
  return dated
    .sort((a, b) => {
      const byTime = (a.at ?? 0) - (b.at ?? 0);
      return (areDated && byTime) || a.rank - b.rank || byTime;
    })
    .map(({ open }) => open);
}
