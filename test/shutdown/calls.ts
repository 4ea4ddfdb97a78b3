import type { EndpointName, EventPoller, HubClient } from 'opendelivery-client';

type Given = Readonly<Record<string, unknown>>;

/** A call of a client, with its options. */
interface ClientCall {
  readonly name: string;
  readonly endpoint: EndpointName;
  readonly call: (hub: HubClient, given?: Given) => Promise<unknown>;
  /** How many calls take all slots of the endpoint, so that the next one waits. */
  readonly limit: number;
}

/** A call that takes a signal. */
export interface Called extends Omit<ClientCall, 'call'> {
  readonly call: (hub: HubClient, given: Given | undefined, poller: EventPoller) => Promise<unknown>;
}

export const EVENT = { eventId: 'e', orderId: 'o', eventType: 'CREATED' };
const command = (name: string, call: ClientCall['call']): ClientCall => ({
  name: `orders.${name}`,
  endpoint: 'orderStatus',
  call,
  limit: 100,
});

/** Those that every client has. */
export const CLIENT_CALLS: readonly ClientCall[] = [
  {
    name: 'merchant.get',
    endpoint: 'merchant',
    call: (hub, given) => hub.merchant.get(given && { fresh: true, ...given }),
    limit: 10,
  },
  { name: 'events.poll', endpoint: 'polling', call: (hub, given) => hub.events.poll(given), limit: 2 },
  {
    name: 'events.acknowledge',
    endpoint: 'acknowledgment',
    call: (hub, given) => hub.events.acknowledge([EVENT], given),
    limit: 100,
  },
  { name: 'orders.get', endpoint: 'order', call: (hub, given) => hub.orders.get('o', given), limit: 100 },
  { name: 'auth.getToken', endpoint: 'token', call: (hub, given) => hub.auth.getToken(given), limit: 10 },
  { name: 'auth.renew', endpoint: 'token', call: (hub, given) => hub.auth.renew(given), limit: 10 },
  command('updateStatus', (hub, given) => hub.orders.updateStatus('o', 'x', {}, given)),
  command('confirm', (hub, given) => hub.orders.confirm('o', {}, given)),
  command('preparing', (hub, given) => hub.orders.preparing('o', given)),
  command('readyForPickup', (hub, given) => hub.orders.readyForPickup('o', given)),
  command('dispatch', (hub, given) => hub.orders.dispatch('o', {}, given)),
  command('pickedUp', (hub, given) => hub.orders.pickedUp('o', given)),
  command('delivered', (hub, given) => hub.orders.delivered('o', given)),
  command('requestCancellation', (hub, given) =>
    hub.orders.requestCancellation('o', { reason: 'x', code: 'x', mode: 'AUTO' }, given),
  ),
  command('acceptCancellation', (hub, given) => hub.orders.acceptCancellation('o', given)),
  command('denyCancellation', (hub, given) =>
    hub.orders.denyCancellation('o', { reason: 'x', code: 'x' }, given),
  ),
];

/** Every call that takes a signal. */
export const CALLS: readonly Called[] = [
  ...CLIENT_CALLS,
  {
    name: 'poller.runOnce',
    endpoint: 'polling',
    call: (_hub, given, poller) => poller.runOnce(given),
    limit: 2,
  },
  {
    name: 'poller.start',
    endpoint: 'polling',
    call: (_hub, given, poller) => poller.start(given),
    limit: 2,
  },
];
