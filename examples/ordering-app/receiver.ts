import {
  type EventPoller,
  type HubClient,
  isHubError,
  type NextCommand,
  type Order,
  type OrderEvent,
} from 'opendelivery-client';
import { confirmation, describeProblem } from './commands.js';
import { type OrderBook, possibleCommands } from './order-book.js';

/** An event that could not be saved; it stays in the inbox, and is tried again. */
export interface Failure {
  readonly event: OrderEvent;
  readonly message: string;
}

export interface Receiver {
  readonly poller: EventPoller;
  /** By event id, until the event is saved. */
  readonly failures: ReadonlyMap<string, Failure>;
}

/**
 * Saves the events of a store. The inbox has stored and acknowledged an event before its listener is called. What the
 * listener saves in `commit` is saved exactly once, and a command is sent exactly if its order is saved.
 *
 * @param isAutomatic - confirms new orders without a click.
 */
export function receiveEvents(hub: HubClient, orders: OrderBook, isAutomatic = false): Receiver {
  const failures = new Map<string, Failure>();
  const poller = hub.poller({ inbox: orders.inbox });
  // All event types, also those that the hub adds later.
  poller.on('event', async (event, { signal, commit }) => {
    const { orderId, eventType } = event;
    const isKnown = orders.find(orderId) !== undefined;
    const details = isKnown ? undefined : await readOrder(hub, event, signal);
    await commit((_database, outbox) => {
      const order = orders.save(event, details);
      if (!isAutomatic || eventType !== 'CREATED' || !order) return;
      if (!possibleCommands(order).includes('confirm')) return;
      orders.queueCommand(orderId, 'confirm');
      outbox.confirm(orderId, confirmation(order));
    });
    failures.delete(event.eventId);
  });
  poller.on('listenerFailed', ({ event, error }) => {
    failures.set(event.eventId, { event, message: error instanceof Error ? error.message : String(error) });
  });
  poller.on('commandRefused', ({ orderId, command, error }) => {
    orders.refuseCommand(orderId, describeProblem(command as NextCommand, error));
  });
  return { poller: poller as EventPoller, failures };
}

/** Reads the order of an event. If a new order cannot be read, it throws, so that the event is tried again. */
async function readOrder(
  hub: HubClient,
  { orderId, eventType }: OrderEvent,
  signal: AbortSignal,
): Promise<Order | undefined> {
  try {
    return (await hub.orders.get(orderId, { signal })).order;
  } catch (error) {
    // An event of an old order is saved also if the hub no longer has the order.
    if (eventType !== 'CREATED' && isHubError(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}
