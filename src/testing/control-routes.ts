import type { FaultLike } from './fault.js';
import type { RandomFaults } from './faults.js';
import type { Json } from './fixtures.js';
import type { NewOrder } from './hub-state.js';
import type { MockHub } from './mock-hub.js';
import type { NewStore } from './mock-store.js';

/** The JSON body of a control request and, over it, its query parameters. */
// biome-ignore lint/suspicious/noExplicitAny: unchecked input; the methods of the mock hub check it
export type ControlInput = Record<string, any>;

/** One request of the control API. */
export interface ControlRoute {
  readonly method: string;
  /** Below `/_mock/`. */
  readonly path: string;
  /** One sentence for people, shown by `GET /_mock/`. */
  readonly does: string;
  /** A valid body, as an example. */
  readonly body?: unknown;
  /** The name of the query parameter. */
  readonly query?: string;
  run(mock: MockHub, input: ControlInput): unknown;
}

/** The control API: the methods of `MockHub` over HTTP. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'POST',
    path: 'orders',
    does: 'creates an order and emits CREATED for it; other keys go into the order document',
    body: { clientId: '1001' },
    run: (mock, input) => mock.createOrder(input as NewOrder),
  },
  {
    method: 'POST',
    path: 'events',
    does: 'emits an event of any type',
    body: { eventType: 'CANCELLED', orderId: 'the id of an order' },
    run: (mock, { eventType, ...event }) => mock.emit(requireString('eventType', eventType), event),
  },
  {
    method: 'GET',
    path: 'events',
    does: 'lists the emitted, pending and acknowledged events, oldest first',
    query: 'clientId',
    run: (mock, { clientId }) => ({
      emitted: mock.emitted(clientId),
      pending: mock.pending(clientId),
      acknowledged: mock.acknowledged(clientId),
    }),
  },
  {
    method: 'POST',
    path: 'redeliveries',
    does: 'sends an event again, also if it was acknowledged',
    body: { eventId: 'the id of an event' },
    run: (mock, { eventId }) => mock.redeliver(requireString('eventId', eventId)),
  },
  {
    method: 'POST',
    path: 'refusals',
    does: 'refuses every acknowledgment that contains this event with 400',
    body: { eventId: 'the id of an event' },
    run: (mock, { eventId }) => mock.refuseAcknowledgment(requireString('eventId', eventId)),
  },
  {
    method: 'GET',
    path: 'merchant',
    does: "returns a store's present merchant document",
    query: 'clientId',
    run: (mock, { clientId }) => mock.merchant(clientId),
  },
  {
    method: 'PUT',
    path: 'merchant',
    does: "replaces a store's merchant document; lastUpdate becomes the present time, unless it is changed",
    query: 'clientId',
    body: { id: 'the whole document' },
    run: (mock, { clientId, ...document }) => publishMerchant(mock, () => document as Json, clientId),
  },
  {
    method: 'PATCH',
    path: 'merchant',
    does: "sets keys at the root of a store's merchant document",
    query: 'clientId',
    body: { status: 'UNAVAILABLE' },
    run: (mock, { clientId, ...keys }) => publishMerchant(mock, keys as Json, clientId),
  },
  {
    method: 'POST',
    path: 'faults',
    does: 'makes the next request to an endpoint fail, or the next `times` requests',
    body: { endpoint: 'polling', fault: { status: 429, headers: { 'retry-after': '60' } }, times: 1 },
    run: (mock, { endpoint, fault, times }) => mock.faults.next(endpoint, fault as FaultLike, times),
  },
  {
    method: 'PUT',
    path: 'faults',
    does: 'makes random requests fail from now on',
    body: { seed: 7, rate: 0.1 },
    run: (mock, input) => mock.faults.random(input as RandomFaults),
  },
  {
    method: 'DELETE',
    path: 'faults',
    does: 'removes all faults',
    run: (mock) => mock.faults.clear(),
  },
  {
    method: 'DELETE',
    path: 'tokens',
    does: 'revokes every token issued so far',
    run: (mock) => mock.revokeTokens(),
  },
  {
    method: 'GET',
    path: 'stores',
    does: 'lists the stores and their credentials',
    run: (mock) => mock.stores,
  },
  {
    method: 'POST',
    path: 'stores',
    does: 'adds a store; `merchant` is its merchant document (default: a small pizzeria)',
    body: { clientId: '2002', clientSecret: 'secret', apiKey: 'key' },
    run: (mock, input) => mock.addStore(input as NewStore),
  },
  {
    method: 'GET',
    path: 'requests',
    does: 'returns the journal: the latest requests and their responses, oldest first',
    run: (mock) => mock.requests,
  },
  {
    method: 'GET',
    path: 'violations',
    does: 'lists the rules of the spec that your application has broken',
    run: (mock) => mock.violations(),
  },
  {
    method: 'POST',
    path: 'reset',
    does: 'removes orders, events, tokens, requests, violations and faults; stores stay as added',
    run: (mock) => mock.reset(),
  },
];

function requireString(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} is missing; it must be a non-empty string`);
}

function publishMerchant(mock: MockHub, change: Json | (() => Json), clientId: string | undefined): void {
  mock.publishMerchant(change, clientId === undefined ? {} : { clientId });
}
