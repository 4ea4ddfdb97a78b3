import type * as z from 'zod';
import type { Clock } from '../time/clock.js';
import { moveClock, timeOf } from './clock-control.js';
import { jsonSchemaOf, listingOf, openApiOf } from './control-description.js';
import * as inputs from './control-input.js';
import * as outputs from './control-output.js';
import { pushDeliveries, startPushes, startPushesAgain, stopPushes } from './control-pushes.js';
import type { Json } from './fixtures.js';
import type { JournalEntry } from './journal.js';
import type { MockHub } from './mock-hub.js';
import type { HubEvent } from './mock-store.js';
import { parseInput } from './parse-input.js';
import { unknownStore } from './stores.js';

interface Row<Input> {
  /** One sentence for people, shown by `GET /_mock/`. */
  readonly does: string;
  /** A valid body, as an example. */
  readonly body?: unknown;
  /** The name of the query parameter. */
  readonly query?: string;
  /** Whether each store has the same path below `/_mock/stores/{clientId}/`, with `clientId` as the input's. */
  readonly isOfStore?: boolean;
  /** What the response contains; default `{ done: true }`. */
  readonly output?: z.ZodType;
  run(mock: MockHub, input: Input, context: ControlContext): unknown;
}

interface ControlContext {
  /** The mock hub's. */
  readonly clock: Clock;
  /** The event with an `orderURL` that who sends the request can request too. */
  reachable<Event extends HubEvent>(event: Event): Event;
}

/**
 * One request of the control API. The input of `run` is the JSON object of the
 * body and, over it, the query parameters; `run` throws a TypeError if that is invalid.
 */
export interface ControlRoute extends Row<unknown> {
  readonly method: string;
  /** Below `/_mock/`. */
  readonly path: string;
  /** JSON Schema of the input. */
  readonly input: Json;
  readonly output: z.ZodType;
}

function route<Schema extends z.ZodType>(
  method: string,
  path: string,
  schema: Schema,
  row: Row<z.output<Schema>>,
): ControlRoute {
  return {
    output: outputs.done,
    ...row,
    method,
    path,
    // Computed when somebody asks for it: the mock hub starts quickly.
    get input() {
      return jsonSchemaOf(schema, 'input');
    },
    run: (mock, input, context) => row.run(mock, parseInput(schema, input), context),
  };
}

/** The control API: the methods of `MockHub` over HTTP. */
export const CONTROL_ROUTES: readonly ControlRoute[] = [
  route('GET', '', inputs.noInput, {
    does: 'lists all requests of the control API, with examples',
    output: inputs.jsonObject,
    run: () => listingOf(CONTROL_ROUTES),
  }),
  route('GET', 'openapi.json', inputs.noInput, {
    does: 'describes the control API as OpenAPI 3.1',
    output: inputs.jsonObject,
    run: () => openApiOf(CONTROL_ROUTES),
  }),
  route('POST', 'orders', inputs.newOrder, {
    does: 'creates an order and emits CREATED for it; the fields that the standard has for an order replace those of the document',
    body: { clientId: '1001', type: 'TAKEOUT', orderTiming: 'SCHEDULED', include: ['options', 'change'] },
    isOfStore: true,
    output: outputs.createdOrder,
    run(mock, input, { reachable }) {
      const { event, ...order } = mock.createOrder(input);
      return { ...order, event: reachable(event) };
    },
  }),
  route('POST', 'events', inputs.newEvent, {
    does: 'emits an event of any type; other keys go into the event',
    body: { eventType: 'CANCELLED', orderId: 'the id of an order' },
    isOfStore: true,
    output: outputs.event,
    run: (mock, { eventType, ...event }, { reachable }) => reachable(mock.emit(eventType, event)),
  }),
  route('GET', 'events', inputs.ofStore, {
    does: 'lists the emitted, pending and acknowledged events, oldest first',
    query: 'clientId',
    isOfStore: true,
    output: outputs.events,
    run: (mock, { clientId }, { reachable }) => ({
      emitted: mock.emitted(clientId).map(reachable),
      pending: mock.pending(clientId).map(reachable),
      acknowledged: mock.acknowledged(clientId).map(reachable),
    }),
  }),
  route('POST', 'redeliveries', inputs.ofEvent, {
    does: 'sends an event again, also if it was acknowledged',
    body: { eventId: 'the id of an event' },
    run: (mock, { eventId }) => mock.redeliver(eventId),
  }),
  route('POST', 'refusals', inputs.ofEvent, {
    does: 'refuses every acknowledgment that contains this event with 400',
    body: { eventId: 'the id of an event' },
    run: (mock, { eventId }) => mock.refuseAcknowledgment(eventId),
  }),
  route('PUT', 'pushes', inputs.newPush, {
    does: 'pushes the events of one store, or of all, to a webhook from now on; `alsoPolled` leaves them to polls too',
    body: { url: 'http://localhost:3000/newEvent', alsoPolled: false },
    run: (mock, input) => startPushes(mock, input),
  }),
  route('GET', 'pushes', inputs.noInput, {
    does: 'lists every try to push an event, oldest first, with the status of the response',
    output: outputs.deliveries,
    run: (mock) => pushDeliveries(mock),
  }),
  route('DELETE', 'pushes', inputs.noInput, {
    does: 'pushes no more events',
    run: (mock) => stopPushes(mock),
  }),
  route('GET', 'merchant', inputs.ofStore, {
    does: "returns a store's present merchant document",
    query: 'clientId',
    output: inputs.jsonObject,
    run: (mock, { clientId }) => mock.merchant(clientId),
  }),
  route('PUT', 'merchant', inputs.merchantChange, {
    does: "replaces a store's merchant document; lastUpdate becomes the present time, unless it is changed",
    query: 'clientId',
    body: { id: 'the whole document' },
    run: (mock, { clientId, ...document }) => mock.publishMerchant(() => document, { clientId }),
  }),
  route('PATCH', 'merchant', inputs.merchantChange, {
    does: "sets keys at the root of a store's merchant document",
    query: 'clientId',
    body: { status: 'UNAVAILABLE' },
    run: (mock, { clientId, ...keys }) => mock.publishMerchant(keys, { clientId }),
  }),
  route('POST', 'faults', inputs.nextFaults, {
    does: 'makes the next request to an endpoint fail, or the next `times` requests; with `clientId`, those of one store',
    body: { endpoint: 'polling', fault: { status: 429, headers: { 'retry-after': '60' } }, times: 1 },
    isOfStore: true,
    run: (mock, { clientId, endpoint, fault, times }) =>
      faultsOf(mock, clientId).next(endpoint, fault, times),
  }),
  route('PUT', 'faults', inputs.randomFaults, {
    does: 'makes random requests fail from now on; with `clientId`, those of one store',
    body: { seed: 7, rate: 0.1 },
    isOfStore: true,
    run: (mock, { clientId, ...random }) => faultsOf(mock, clientId).random(random),
  }),
  route('DELETE', 'faults', inputs.ofStore, {
    does: 'removes all faults, or those of one store',
    query: 'clientId',
    isOfStore: true,
    run: (mock, { clientId }) => faultsOf(mock, clientId).clear(),
  }),
  route('POST', 'allow', inputs.noInput, {
    does: "puts the application in the host's allow list, if the profile has one; before that, every request is refused",
    run: (mock) => mock.allow(),
  }),
  route('DELETE', 'tokens', inputs.noInput, {
    does: 'revokes every token issued so far',
    run: (mock) => mock.revokeTokens(),
  }),
  route('GET', 'clock', inputs.noInput, {
    does: "returns the time on the hub's clock and its speed",
    output: outputs.time,
    run: (_mock, _input, { clock }) => timeOf(clock),
  }),
  route('POST', 'clock', inputs.clockMove, {
    does: "makes the hub's clock jump, or changes its speed; the system clock can do neither",
    body: { advance: '2h' },
    run: (_mock, input, { clock }) => moveClock(clock, input),
  }),
  route('GET', 'stores', inputs.noInput, {
    does: 'lists the stores and their credentials',
    output: outputs.stores,
    run: (mock) => mock.stores,
  }),
  route('POST', 'stores', inputs.newStore, {
    does: 'adds a store; `merchant` is its merchant document (default: a small pizzeria)',
    body: { clientId: '2002', clientSecret: 'secret', apiKey: 'key' },
    output: outputs.store,
    run: (mock, input) => {
      const credentials = mock.addStore(input);
      startPushesAgain(mock, credentials.clientId);
      return credentials;
    },
  }),
  route('GET', 'requests', inputs.ofStore, {
    does: 'returns the journal: the latest requests and their responses, oldest first',
    query: 'clientId',
    isOfStore: true,
    output: outputs.requests,
    run: (mock, { clientId }) => requestsOf(mock, clientId),
  }),
  route('GET', 'violations', inputs.ofStore, {
    does: 'lists the rules of the spec that your application has broken',
    query: 'clientId',
    isOfStore: true,
    output: outputs.violations,
    run: (mock, { clientId }) => mock.violations(clientId),
  }),
  route('POST', 'reset', inputs.ofStore, {
    does: 'removes orders, events, tokens, requests, violations and faults, of all stores or of one; stores stay as added',
    isOfStore: true,
    run: (mock, input) => {
      mock.reset(input);
      startPushesAgain(mock, input.clientId);
    },
  }),
];

const faultsOf = ({ faults }: MockHub, clientId: string | undefined) =>
  clientId === undefined ? faults : faults.ofStore(clientId);

/** @throws {TypeError} no store has this client id. */
function requestsOf(mock: MockHub, clientId: string | undefined): readonly JournalEntry[] {
  if (clientId === undefined) return mock.requests;
  if (!mock.stores.some((store) => store.clientId === clientId)) throw new TypeError(unknownStore(clientId));
  return mock.requests.filter((request) => request.clientId === clientId);
}
