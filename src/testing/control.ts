import type { MockHub, NewOrder } from './create-mock-hub.js';
import type { FaultLike, RandomFaults } from './faults.js';
import type { Json } from './fixtures.js';
import type { NewStore } from './store.js';

type Answer = (request: Request) => Promise<Response>;

/** What a control request says: its JSON body and its query parameters, the latter as text. */
// biome-ignore lint/suspicious/noExplicitAny: JSON from outside; the mock hub checks what it is given
type Said = Record<string, any>;

interface Route {
  readonly method: string;
  readonly path: string;
  /** For people, in `GET /_mock/`. */
  readonly does: string;
  /** A body that works as it stands, where there is one. */
  readonly body?: unknown;
  readonly query?: string;
  run(mock: MockHub, said: Said): unknown;
}

/** The control API: the methods of `MockHub`, for suites that are not written in JavaScript. */
const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: 'orders',
    does: 'makes an order and emits CREATED for it; keys the mock does not know go into the order',
    body: { clientId: '1001' },
    run: (mock, said) => mock.createOrder(said as NewOrder),
  },
  {
    method: 'POST',
    path: 'events',
    does: 'emits an event of any type',
    body: { eventType: 'CANCELLED', orderId: 'an order of yours' },
    run: (mock, { eventType, ...more }) => mock.emit(textOf('eventType', eventType), more),
  },
  {
    method: 'GET',
    path: 'events',
    does: 'lists emitted, pending and acknowledged events, oldest first',
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
    does: 'sends an event again that was confirmed',
    body: { eventId: 'an event of the hub' },
    run: (mock, { eventId }) => mock.redeliver(textOf('eventId', eventId)),
  },
  {
    method: 'POST',
    path: 'refusals',
    does: 'answers 400 to every acknowledgment with this event in it',
    body: { eventId: 'an event of the hub' },
    run: (mock, { eventId }) => mock.refuseAcknowledgment(textOf('eventId', eventId)),
  },
  {
    method: 'GET',
    path: 'merchant',
    does: "gives a store's merchant document as it is now",
    query: 'clientId',
    run: (mock, { clientId }) => mock.merchant(clientId),
  },
  {
    method: 'PUT',
    path: 'merchant',
    does: "replaces a store's merchant document; lastUpdate becomes the present unless it differs from the last",
    query: 'clientId',
    body: { id: 'the whole document' },
    run: (mock, { clientId, ...document }) => publish(mock, () => document as Json, clientId),
  },
  {
    method: 'PATCH',
    path: 'merchant',
    does: "puts keys into the root of a store's merchant document",
    query: 'clientId',
    body: { status: 'UNAVAILABLE' },
    run: (mock, { clientId, ...keys }) => publish(mock, keys as Json, clientId),
  },
  {
    method: 'POST',
    path: 'faults',
    does: "gives the endpoint's next request a fault, or `times` of them",
    body: { endpoint: 'polling', fault: { status: 429, headers: { 'retry-after': '60' } }, times: 1 },
    run: (mock, { endpoint, fault, times }) => mock.faults.next(endpoint, fault as FaultLike, times),
  },
  {
    method: 'PUT',
    path: 'faults',
    does: 'makes requests fail by chance from now on',
    body: { seed: 7, rate: 0.1 },
    run: (mock, said) => mock.faults.random(said as RandomFaults),
  },
  {
    method: 'DELETE',
    path: 'faults',
    does: 'ends all faults',
    run: (mock) => mock.faults.clear(),
  },
  {
    method: 'DELETE',
    path: 'tokens',
    does: 'refuses every token issued so far',
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
    does: 'adds a store; `merchant` is its document, the mock has one of its own',
    body: { clientId: '2002', clientSecret: 'secret', apiKey: 'key' },
    run: (mock, said) => mock.addStore(said as NewStore),
  },
  {
    method: 'GET',
    path: 'requests',
    does: 'gives the journal: every request and its answer, oldest first',
    run: (mock) => mock.requests,
  },
  {
    method: 'GET',
    path: 'violations',
    does: 'lists the rules of the spec that your app has broken',
    run: (mock) => mock.violations(),
  },
  {
    method: 'POST',
    path: 'reset',
    does: 'forgets all that has happened; the stores are as they were added',
    run: (mock) => mock.reset(),
  },
];

/** Serves the control API below `/_mock/`, everything else as before. */
export function controlled(mock: MockHub, answer: Answer): Answer {
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const path = /^\/_mock(?:\/(.*))?$/.exec(pathname)?.[1] ?? (pathname === '/_mock' ? '' : undefined);
    if (path === undefined) return answer(request);
    if (path === '') return json(200, describe());
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = ROUTES.find((each) => each.path === path && each.method === method);
    if (!route)
      return json(404, problem(404, `no ${method} /_mock/${path}; GET /_mock/ lists what there is`));
    try {
      const body = await read(request);
      const result = route.run(mock, { ...body, ...Object.fromEntries(searchParams) });
      if (result === undefined) return json(200, { done: true });
      return json(method === 'POST' ? 201 : 200, result);
    } catch (error) {
      return json(400, problem(400, error instanceof Error ? error.message : String(error)));
    }
  };
}

function describe(): unknown {
  return {
    what: 'the control API of the mock hub; bodies are JSON',
    routes: ROUTES.map(({ method, path, does, query, body }) => ({
      method,
      path: `/_mock/${path}`,
      does,
      ...(query !== undefined && { query }),
      ...(body !== undefined && { example: body }),
    })),
  };
}

async function read(request: Request): Promise<Said> {
  const text = await request.text();
  if (text.trim() === '') return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new TypeError('the body is no JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new TypeError('the body must be a JSON object');
  }
  return body as Said;
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} is missing; it must be a text`);
}

function publish(mock: MockHub, change: Json | (() => Json), clientId: string | undefined): void {
  mock.publishMerchant(change, clientId === undefined ? {} : { clientId });
}

const problem = (status: number, title: string) => ({ title, status });

function json(status: number, body: unknown): Response {
  return new Response(`${JSON.stringify(body, undefined, 2)}\n`, {
    status,
    headers: { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json' },
  });
}
