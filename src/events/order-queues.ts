import { lifecycleRank } from '../schemas/event-types.js';
import type { Entry } from './entry.js';

/** The events of one order, in the sequence in which they are handled. */
export type OrderQueue = readonly Entry[];

/** Groups events by order, orders with a CREATED first. */
export function queuesByOrder(entries: readonly Entry[]): OrderQueue[] {
  const byOrder = new Map<string, Entry[]>();
  for (const entry of entries) {
    const others = byOrder.get(entry.event.orderId);
    if (others) others.push(entry);
    else byOrder.set(entry.event.orderId, [entry]);
  }
  // New orders first: a hub cancels an order that is not confirmed in time, and reading a thousand takes ten minutes (Spec §8).
  const queues: OrderQueue[] = [];
  const others: OrderQueue[] = [];
  for (const queue of byOrder.values()) {
    if (queue.length > 1) sortInSequence(queue);
    (queue[0]?.event.eventType === 'CREATED' ? queues : others).push(queue);
  }
  for (const queue of others) queues.push(queue);
  return queues;
}

/**
 * By `createdAt`, then by lifecycle rank, then by arrival: in the standard
 * `createdAt` may be the order's, and then it is the same on all its events.
 */
function sortInSequence(queue: Entry[]): void {
  const sorted = queue
    .map((entry) => ({ entry, at: createdAtOf(entry), rank: lifecycleRank(entry.event.eventType) }))
    .sort((a, b) => a.at - b.at || a.rank - b.rank);
  sorted.forEach(({ entry }, index) => {
    queue[index] = entry;
  });
}

/** An unreadable date sorts first; otherwise the result would depend on the order of arrival. */
function createdAtOf({ event: { createdAt } }: Entry): number {
  const at = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(at) ? 0 : at;
}
