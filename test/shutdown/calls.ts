import type { EndpointName, EventPoller, HubClient } from 'opendelivery-client';

/** A call that takes a signal. */
export interface Called {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly call: (hub: HubClient, signal: AbortSignal | undefined, poller: EventPoller) => Promise<unknown>;
  /** How many calls take all slots of the endpoint, so that the next one waits. */
  readonly limit: number;
}

export const EVENT = { eventId: 'e', orderId: 'o', eventType: 'CREATED' };
const command = (name: string, call: (hub: HubClient, signal?: AbortSignal) => Promise<unknown>): Called => ({
  name: `orders.${name}`,
  endpoint: 'orderStatus',
  call,
  limit: 100,
});

/** Every call that takes a signal. */
export const CALLS: readonly Called[] = [
  {
    name: 'merchant.get',
    endpoint: 'merchant',
    call: (hub, signal) => hub.merchant.get({ fresh: true, signal }),
    limit: 10,
  },
  { name: 'events.poll', endpoint: 'polling', call: (hub, signal) => hub.events.poll({ signal }), limit: 2 },
  {
    name: 'events.acknowledge',
    endpoint: 'acknowledgment',
    call: (hub, signal) => hub.events.acknowledge([EVENT], { signal }),
    limit: 100,
  },
  {
    name: 'orders.get',
    endpoint: 'order',
    call: (hub, signal) => hub.orders.get('o', { signal }),
    limit: 100,
  },
  {
    name: 'auth.getToken',
    endpoint: 'token',
    call: (hub, signal) => hub.auth.getToken({ signal }),
    limit: 10,
  },
  { name: 'auth.renew', endpoint: 'token', call: (hub, signal) => hub.auth.renew({ signal }), limit: 10 },
  command('updateStatus', (hub, signal) => hub.orders.updateStatus('o', 'x', {}, { signal })),
  command('confirm', (hub, signal) => hub.orders.confirm('o', {}, { signal })),
  command('preparing', (hub, signal) => hub.orders.preparing('o', { signal })),
  command('readyForPickup', (hub, signal) => hub.orders.readyForPickup('o', { signal })),
  command('dispatch', (hub, signal) => hub.orders.dispatch('o', {}, { signal })),
  command('pickedUp', (hub, signal) => hub.orders.pickedUp('o', { signal })),
  command('delivered', (hub, signal) => hub.orders.delivered('o', { signal })),
  command('requestCancellation', (hub, signal) =>
    hub.orders.requestCancellation('o', { reason: 'x', code: 'x', mode: 'AUTO' }, { signal }),
  ),
  command('acceptCancellation', (hub, signal) => hub.orders.acceptCancellation('o', { signal })),
  command('denyCancellation', (hub, signal) =>
    hub.orders.denyCancellation('o', { reason: 'x', code: 'x' }, { signal }),
  ),
  {
    name: 'poller.runOnce',
    endpoint: 'polling',
    call: (_hub, signal, poller) => poller.runOnce({ signal }),
    limit: 2,
  },
  {
    name: 'poller.start',
    endpoint: 'polling',
    call: (_hub, signal, poller) => poller.start({ signal }),
    limit: 2,
  },
];
