import {
  type EventPoller,
  type HubClient,
  isHubError,
  type Order,
  type OrderEvent,
} from 'opendelivery-client';
import type { OrderBook } from './order-book.js';

/** An event that could not be taken in; the hub sends it again. */
export interface Failure {
  readonly event: OrderEvent;
  readonly message: string;
}

export interface Receiver {
  readonly poller: EventPoller;
  /** By event id, until the event has been taken in. */
  readonly failures: ReadonlyMap<string, Failure>;
}

/** Takes in what the hub tells. The hub forgets an event when its listener has resolved: not before it is kept. */
export function receiveEvents(hub: HubClient, orders: OrderBook): Receiver {
  const failures = new Map<string, Failure>();
  const poller = hub.poller();
  // All types, also those the hub adds tomorrow.
  poller.on('event', async (event, { signal }) => {
    const isKnown = orders.has(event.orderId);
    orders.receive(event, isKnown ? undefined : await readOrder(hub, event, signal));
    failures.delete(event.eventId);
  });
  poller.on('listenerFailed', ({ event, error }) => {
    failures.set(event.eventId, { event, message: error instanceof Error ? error.message : String(error) });
  });
  return { poller, failures };
}

/** What was ordered. Only a new order is no use without; thrown, so that its event comes again. */
async function readOrder(
  hub: HubClient,
  { orderId, eventType }: OrderEvent,
  signal: AbortSignal,
): Promise<Order | undefined> {
  try {
    return (await hub.orders.get(orderId, { signal })).order;
  } catch (error) {
    if (eventType !== 'CREATED' && isHubError(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}
