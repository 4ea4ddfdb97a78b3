/** Whether a cancellation is open: the overlay of the stage, because a denied request leaves the stage as it was. */
export type CancellationProgress = 'none' | 'asked_by_store' | 'asked_by_hub' | 'denied';

/** A type of event that asks for a cancellation, or denies one. */
export type CancellationEventType =
  | 'CANCELLATION_REQUESTED'
  | 'CANCELLATION_REQUEST_DENIED'
  | 'ORDER_CANCELLATION_REQUEST'
  | 'CANCELLED_DENIED';

interface Side {
  readonly side: 'store' | 'hub';
  readonly isRequest: boolean;
}

const SIDES: Readonly<Record<CancellationEventType, Side>> = {
  CANCELLATION_REQUESTED: { side: 'store', isRequest: true },
  CANCELLATION_REQUEST_DENIED: { side: 'store', isRequest: false },
  ORDER_CANCELLATION_REQUEST: { side: 'hub', isRequest: true },
  CANCELLED_DENIED: { side: 'hub', isRequest: false },
};

/** What `orderProgress` remembers of an event that asks for a cancellation, or denies one. */
export type CancellationEvent = {
  /** The event's `eventId`. */
  readonly eventId: string;
  /** The event's `eventType`. */
  readonly eventType: CancellationEventType;
  /** The event's `createdAt` in epoch ms. Absent: the hub sent none, or an unreadable one. */
  readonly at?: number;
};

export const isCancellationEventType = (type: unknown): type is CancellationEventType =>
  typeof type === 'string' && Object.hasOwn(SIDES, type);

/**
 * Adds an event unless it is there; one without a date is the same as one with a date. The result is sorted, so that it
 * does not depend on the order of arrival.
 */
export function withEvent(
  events: readonly CancellationEvent[],
  event: CancellationEvent,
): readonly CancellationEvent[] {
  const isCopy = ({ eventId, eventType }: CancellationEvent) =>
    eventId === event.eventId && eventType === event.eventType;
  if (events.some((each) => isCopy(each) && (event.at === undefined || event.at === each.at))) return events;
  return [...events.filter((each) => each.at !== undefined || !isCopy(each)), event].sort(compare);
}

function compare(a: CancellationEvent, b: CancellationEvent): number {
  return (
    (a.at ?? 0) - (b.at ?? 0) ||
    compareStrings(a.eventType, b.eventType) ||
    compareStrings(a.eventId, b.eventId)
  );
}

const compareStrings = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** What a set of events comes to. An open request of the hub comes first, because the store must answer it. */
export function cancellationOf(events: readonly CancellationEvent[]): CancellationProgress {
  if (isOpen(events, 'hub')) return 'asked_by_hub';
  if (isOpen(events, 'store')) return 'asked_by_store';
  return events.some(({ eventType }) => !SIDES[eventType].isRequest) ? 'denied' : 'none';
}

/**
 * Whether the last request of a side is still open.
 *
 * A denial closes every earlier request. If requests and denials have the same
 * time, as on hubs that date all events of an order alike, their number decides:
 * a side asks again only after a denial. If a time is missing, all times count as
 * the same.
 */
function isOpen(events: readonly CancellationEvent[], side: 'hub' | 'store'): boolean {
  const own = events.filter(({ eventType }) => SIDES[eventType].side === side);
  const isDated = own.every(({ at }) => at !== undefined);
  let open = false;
  for (const group of isDated ? groupsByTime(own) : [own]) {
    const requests = group.filter(({ eventType }) => SIDES[eventType].isRequest).length;
    const denials = group.length - requests;
    open = requests + Number(open) > denials;
  }
  return open;
}

/** Splits events that are sorted by time. */
function groupsByTime(events: readonly CancellationEvent[]): CancellationEvent[][] {
  const groups: CancellationEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last?.[0]?.at === event.at) last?.push(event);
    else groups.push([event]);
  }
  return groups;
}
