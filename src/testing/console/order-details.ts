import type { HubState } from '../hub-state.js';
import type { JournalEntry } from '../journal.js';
import { commandOf } from '../router.js';
import { rowOf } from './orders-view.js';
import type { OrderEvent, OrderHappening, OrderTry } from './wire-order.js';

/** One order: its card, its document, and what happened to it, oldest first. Undefined: the hub does not have it. */
export function orderDetails(
  { stores, journal, pushers }: HubState,
  clientId: string,
  orderId: string,
): unknown {
  const store = stores.withClientId(clientId);
  const order = store?.orders.get(orderId);
  if (!store || !order) return undefined;
  const tries = new Map<string, OrderTry[]>();
  const events = store.emitted
    .filter((event) => event.orderId === orderId)
    .map(({ eventId, eventType, createdAt, metadata }): OrderEvent => {
      const own: OrderTry[] = [];
      tries.set(eventId, own);
      return {
        what: 'event',
        at: Date.parse(createdAt) || 0,
        eventId,
        name: eventType,
        deliveredAt: store.delivered.get(eventId)?.at,
        acknowledgedAt: store.acknowledgedAt.get(eventId),
        pushed: store.pushed.get(eventId),
        metadata,
        tries: own,
      };
    });
  const happened: OrderHappening[] = [...events];
  for (const entry of journal.entries) {
    const { at, status, endpoint } = entry;
    const sent = { at, status, number: journal.numberOf(entry) };
    const { name, orderId: ofOrder } = commandOf(entry);
    if (name !== undefined && ofOrder === orderId && entry.clientId === clientId)
      happened.push({ what: 'command', name, ...sent });
    const kind = endpoint === 'polling' ? 'poll' : 'acknowledgment';
    for (const eventId of carriedBy(entry, tries)) tries.get(eventId)?.push({ kind, ...sent });
  }
  for (const { pusher } of pushers.all) {
    for (const { eventId, at, status } of pusher.deliveries)
      tries.get(eventId)?.push({ kind: 'push', at, status });
  }
  happened.sort((one, other) => one.at - other.at);
  return { row: rowOf({ store, orderId, order, rank: 0 }), document: order.document, happened };
}

/** The events in the response of a poll, or those that an acknowledgment names, also one that was refused. */
function carriedBy({ endpoint, events, body }: JournalEntry, known: ReadonlyMap<string, unknown>): string[] {
  if (endpoint === 'polling') return events?.map(({ eventId }) => eventId) ?? [];
  return endpoint === 'acknowledgment'
    ? [...known.keys()].filter((eventId) => body.includes(JSON.stringify(eventId)))
    : [];
}
