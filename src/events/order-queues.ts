import type { OrderEvent } from '../schemas/event.js';
import { lifecycleRank } from '../schemas/event-types.js';

/** The events of one order, in the sequence in which they are handled. */
export type OrderQueue = readonly OrderEvent[];

/** Groups events by order, orders with a CREATED first. */
export function queuesByOrder(events: readonly OrderEvent[]): OrderQueue[] {
  const byOrder = new Map<string, OrderEvent[]>();
  for (const event of events) {
    const others = byOrder.get(event.orderId);
    if (others) others.push(event);
    else byOrder.set(event.orderId, [event]);
  }
  const queues = [...byOrder.values()].map(inSequence);
  // New orders first: a hub cancels an order that is not confirmed in time, and reading a thousand takes ten minutes (Spec §8).
  const isNew = ([first]: OrderQueue) => first?.eventType === 'CREATED';
  return [...queues.filter(isNew), ...queues.filter((queue) => !isNew(queue))];
}

/**
 * By `createdAt`, then by lifecycle rank, then by arrival: in the standard
 * `createdAt` may be the order's, and then it is the same on all its events.
 */
function inSequence(events: OrderEvent[]): OrderQueue {
  if (events.length < 2) return events;
  return events
    .map((event) => ({ event, at: createdAtOf(event), rank: lifecycleRank(event.eventType) }))
    .sort((a, b) => a.at - b.at || a.rank - b.rank)
    .map(({ event }) => event);
}

/** An unreadable date sorts first; otherwise the result would depend on the order of arrival. */
function createdAtOf({ createdAt }: OrderEvent): number {
  const at = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(at) ? 0 : at;
}
