import {
  type EventPoller,
  type HubClient,
  isHubError,
  type Order,
  type OrderEvent,
} from 'opendelivery-client';
import type { OrderBook } from './order-book.js';

/** An event that could not be saved; the hub sends it again. */
export interface Failure {
  readonly event: OrderEvent;
  readonly message: string;
}

export interface Receiver {
  readonly poller: EventPoller;
  /** By event id, until the event is saved. */
  readonly failures: ReadonlyMap<string, Failure>;
}

/** Saves the events of a store. An event is acknowledged when its listener resolves, so it saves first. */
export function receiveEvents(hub: HubClient, orders: OrderBook): Receiver {
  const failures = new Map<string, Failure>();
  const poller = hub.poller();
  // All event types, also those that the hub adds later.
  poller.on('event', async (event, { signal }) => {
    const isKnown = orders.find(event.orderId) !== undefined;
    orders.save(event, isKnown ? undefined : await readOrder(hub, event, signal));
    failures.delete(event.eventId);
  });
  poller.on('listenerFailed', ({ event, error }) => {
    failures.set(event.eventId, { event, message: error instanceof Error ? error.message : String(error) });
  });
  return { poller, failures };
}

/** Reads the order of an event. If a new order cannot be read, it throws, so that the event comes again. */
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
