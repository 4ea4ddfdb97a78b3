import type { HubState } from '../hub-state.js';
import { commandOf, type History } from './history.js';

/** At most this many entries of the journal are searched for commands. */
const MAX_SEARCHED = 10_000;

/** One order: its document, and what happened to it, oldest first. Undefined: the hub does not have it. */
export function orderDetails(
  { stores, journal }: HubState,
  history: History,
  clientId: string,
  orderId: string,
): unknown {
  const store = stores.withClientId(clientId);
  const order = store?.orders.get(orderId);
  if (!store || !order) return undefined;
  const { acknowledgedAt, delivered, pushed } = history.of(store);
  const events = store.emitted
    .filter((event) => event.orderId === orderId)
    .map(({ eventId, eventType, createdAt, metadata }) => ({
      what: 'event',
      at: Date.parse(createdAt) || 0,
      eventId,
      name: eventType,
      deliveredAt: delivered.get(eventId)?.at,
      acknowledgedAt: acknowledgedAt.get(eventId),
      pushed: pushed.get(eventId),
      metadata,
    }));
  const commands = journal.entries.slice(-MAX_SEARCHED).flatMap((entry) => {
    const command = entry.endpoint === 'orderStatus' ? commandOf(entry) : undefined;
    if (command?.orderId !== orderId || entry.clientId !== clientId) return [];
    const number = journal.numberOf(entry);
    return [{ what: 'command', at: entry.at, name: command.name, status: entry.status, number }];
  });
  const happened = [...events, ...commands].sort((one, other) => one.at - other.at);
  return { document: order.document, happened };
}
