import { ACKNOWLEDGMENT_MAX_ITEMS } from '../endpoints.js';
import { ConfigurationError, type HubError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { isKnownEventType } from '../schemas/event-types.js';
import type { RefusalBackoff } from './refusal-backoff.js';

/** The fields of an event that an acknowledgment needs; `receivedEventType` is sent if it is set. */
export type AcknowledgeableEvent = Pick<OrderEvent, 'eventId' | 'orderId' | 'eventType'> &
  Partial<Pick<OrderEvent, 'receivedEventType'>>;

/** The events of one request. */
export type Batch = readonly AcknowledgeableEvent[];

export interface RejectedEvent {
  readonly event: AcknowledgeableEvent;
  readonly error: HubError;
}

/** At most this many previously refused ids are retried per call. */
const MAX_RETRIED_IDS = 5;

/** The event's type as the hub sent it. */
export const receivedTypeOf = (event: AcknowledgeableEvent) => event.receivedEventType ?? event.eventType;

/** Removes duplicates, and rejects what is not an event. */
export function usableEvents(events: readonly unknown[]): {
  usable: AcknowledgeableEvent[];
  rejected: RejectedEvent[];
} {
  const usable: AcknowledgeableEvent[] = [];
  const rejected: RejectedEvent[] = [];
  const seen = new Map<string, AcknowledgeableEvent>();
  /** Of the events that share an id with an earlier one: order and type. */
  let others: Set<string> | undefined;
  events.forEach((event, index) => {
    if (isAcknowledgeable(event)) {
      const first = seen.get(event.eventId);
      if (first) {
        others ??= new Set();
        const content = contentOf(event);
        if (content === contentOf(first) || others.has(content)) return;
        others.add(content);
      } else seen.set(event.eventId, event);
      usable.push(event);
      return;
    }
    const eventId: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'eventId') : '';
    rejected.push({
      event: { eventId: typeof eventId === 'string' ? eventId : '', orderId: '', eventType: '' },
      error: new ConfigurationError(
        `events[${index}]`,
        'needs eventId, orderId and eventType as non-empty strings; pass the events that poll() returned',
      ),
    });
  });
  return { usable, rejected };
}

/**
 * Splits events into batches of at most 100. Event types that the standard
 * does not know get their own batches, and so does each id that was refused
 * before: one bad item makes the hub refuse the whole batch.
 *
 * @returns also the previously refused ids that are not retried yet.
 */
export function batchesOf(
  events: readonly AcknowledgeableEvent[],
  refusals: RefusalBackoff,
): { batches: Batch[]; rejected: RejectedEvent[] } {
  const known: AcknowledgeableEvent[] = [];
  const unknown: AcknowledgeableEvent[] = [];
  const single: Batch[] = [];
  const rejected: RejectedEvent[] = [];
  for (const event of events) {
    const refusal = refusals.find(event.eventId);
    if (!refusal) (isKnownEventType(receivedTypeOf(event)) ? known : unknown).push(event);
    else if (refusal.isDue && single.length < MAX_RETRIED_IDS) single.push([event]);
    else rejected.push({ event, error: refusal.error });
  }
  return { batches: [...chunksOf(known), ...chunksOf(unknown), ...single], rejected };
}

function isAcknowledgeable(event: unknown): event is AcknowledgeableEvent {
  if (typeof event !== 'object' || event === null) return false;
  const { eventId, orderId, eventType } = event as Partial<Record<string, unknown>>;
  return isNonEmpty(eventId) && isNonEmpty(orderId) && isNonEmpty(eventType);
}

const isNonEmpty = (value: unknown) => typeof value === 'string' && value !== '';

const contentOf = (event: AcknowledgeableEvent) =>
  JSON.stringify([event.eventId, event.orderId, receivedTypeOf(event)]);

function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += ACKNOWLEDGMENT_MAX_ITEMS) {
    chunks.push(items.slice(at, at + ACKNOWLEDGMENT_MAX_ITEMS));
  }
  return chunks;
}
