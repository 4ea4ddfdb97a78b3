import { ACKNOWLEDGMENT_MAX_ITEMS, ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../endpoints.js';
import type { Json } from './fixtures.js';
import type { ResolvedMockHubOptions } from './options.js';
import { judge } from './order-lifecycle.js';
import { drawOf } from './random.js';
import type { Violation } from './rules.js';
import type { HubEvent, MockStore } from './store.js';

/** A request as the mock hub sees it, its body read. */
export interface Incoming {
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer before faults: status, headers and a JSON body. */
export interface Outgoing {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface HubServices {
  readonly options: ResolvedMockHubOptions;
  readonly issueToken: (store: MockStore) => string;
  readonly emit: (store: MockStore, eventType: string, orderId: string, metadata?: Json) => HubEvent;
  readonly violate: (rule: Violation['rule'], message: string) => void;
  /** Counts polls, so that each is shuffled another way. */
  readonly nextPoll: () => number;
}

/** The standard's error body. */
export function problem(status: number, title: string, headers: Record<string, string> = {}): Outgoing {
  return {
    status,
    body: { title, status },
    headers: { 'content-type': 'application/problem+json', ...headers },
  };
}

const PATTERNS = ENDPOINT_NAMES.map((name) => {
  const source = ENDPOINTS[name].path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { name, pattern: new RegExp(`^${source}$`) };
});

/** Which endpoint a method and a path below the base path mean. */
export function route(
  method: string,
  path: string,
): { endpoint: EndpointName; parameters: Record<string, string> } | undefined {
  for (const { name, pattern } of PATTERNS) {
    const match = ENDPOINTS[name].method === method ? pattern.exec(path) : null;
    if (!match) continue;
    try {
      const parameters = Object.entries(match.groups ?? {}).map(
        ([key, value]) => [key, decodeURIComponent(value)] as const,
      );
      return { endpoint: name, parameters: Object.fromEntries(parameters) };
    } catch {
      return undefined; // %ZZ is no path
    }
  }
  return undefined;
}

/** What the hub does with an authorized request within its limits (Spec §4). */
export function process(incoming: Incoming, store: MockStore, services: HubServices): Outgoing {
  switch (incoming.endpoint) {
    case 'token':
      return token(incoming, store, services);
    case 'merchant':
      return { status: 200, body: store.merchant };
    case 'polling':
      return poll(store, services);
    case 'acknowledgment':
      return acknowledge(incoming, store, services);
    case 'order':
      return order(incoming, store);
    case 'orderStatus':
      return orderStatus(incoming, store, services);
  }
}

/** The refusal of a token request that is not as Spec §4.1 wants it, whoever sent it. */
export function malformedToken(
  { endpoint, headers, body }: Incoming,
  { violate }: HubServices,
): Outgoing | undefined {
  if (endpoint !== 'token') return undefined;
  if (!headers.get('content-type')?.startsWith('application/x-www-form-urlencoded')) {
    violate('content-type', 'the token endpoint takes application/x-www-form-urlencoded (Spec §4.1)');
    return problem(400, 'content type must be application/x-www-form-urlencoded');
  }
  const form = new URLSearchParams(body);
  const missing = ['client_id', 'client_secret', 'grant_type'].find((name) => !form.get(name));
  if (missing) return problem(400, `${missing} is missing`);
  return form.get('grant_type') === 'client_credentials' ? undefined : problem(400, 'grant_type is invalid');
}

function token({ body }: Incoming, store: MockStore, { options, issueToken }: HubServices): Outgoing {
  const secret = new URLSearchParams(body).get('client_secret');
  if (secret !== store.credentials.clientSecret) return problem(401, 'invalid credentials');
  const seconds = Math.round(options.tokenLifetimeMs / 1000);
  const expiresIn = {
    seconds: { expires_in: seconds },
    text: { expires_in: String(seconds) },
    epoch: { expires_in: options.clock.now() + options.tokenLifetimeMs },
    absent: {},
  }[options.expiresIn];
  return { status: 200, body: { access_token: issueToken(store), token_type: 'bearer', ...expiresIn } };
}

function poll(store: MockStore, { options, nextPoll }: HubServices): Outgoing {
  const events = first(store.pending.values(), options.maxEventsPerPoll);
  const count = nextPoll();
  if (options.order === 'shuffled') shuffle(events, count);
  if (events.length === 0 && options.emptyPoll === '204') return { status: 204 };
  return { status: 200, body: events };
}

/** A copy of no more than that: there may be many more. */
function first<T>(values: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const value of values) if (taken.push(value) >= count) break;
  return taken;
}

export function shuffle(events: unknown[], seed: number): void {
  for (let at = events.length - 1; at > 0; at -= 1) {
    const other = Math.floor(drawOf('shuffle', seed, at) * (at + 1));
    [events[at], events[other]] = [events[other], events[at]];
  }
}

function acknowledge({ headers, body }: Incoming, store: MockStore, services: HubServices): Outgoing {
  const { options, violate } = services;
  if (!headers.get('content-type')?.startsWith('application/json')) {
    violate('content-type', 'the acknowledgment endpoint takes application/json (Spec §4.4)');
    return problem(400, 'content type must be application/json');
  }
  const items = listOf(body);
  if (!items) {
    violate('acknowledgment-body', 'the body is a list of {id, orderId, eventType} (Spec §4.4)');
    return problem(400, 'the body must be a list');
  }
  if (items.length > ACKNOWLEDGMENT_MAX_ITEMS) {
    violate('acknowledgment-size', `${items.length} items in one acknowledgment, at most 100 (Spec §4.4)`);
    return problem(400, 'more than 100 items');
  }
  const known: HubEvent[] = [];
  for (const { id, orderId, eventType } of items as Json[]) {
    const event = typeof id === 'string' ? store.find(id) : undefined;
    if (!event) return problem(options.unknownEventStatus, `unknown event ${String(id)}`);
    if (store.refused.has(event.eventId))
      return problem(400, `event ${event.eventId} cannot be acknowledged`);
    if (orderId !== event.orderId || eventType !== event.eventType) {
      violate('acknowledgment-body', `orderId or eventType of ${event.eventId} is not as it was sent`);
      return problem(400, `event ${event.eventId} has another orderId or eventType`);
    }
    known.push(event);
  }
  for (const event of known) {
    store.pending.delete(event.eventId);
    store.acknowledged.push({ ...event, acknowledgedAt: options.clock.now() });
  }
  return { status: 202 };
}

function listOf(body: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const isList = Array.isArray(parsed) && parsed.every((item) => typeof item === 'object' && item !== null);
    return isList ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function order({ parameters }: Incoming, store: MockStore): Outgoing {
  const found = store.orders.get(parameters.orderId ?? '');
  return found ? { status: 200, body: found.document } : problem(404, 'order not found');
}

function orderStatus({ parameters }: Incoming, store: MockStore, services: HubServices): Outgoing {
  const { options, emit } = services;
  const { orderId = '', status = '' } = parameters;
  const found = store.orders.get(orderId);
  if (!found) return problem(404, 'order not found');
  const verdict = judge(found.tracked, status, String(found.document.type));
  if (!verdict) return problem(404, `no such command: ${status}`);
  if ('problem' in verdict) {
    const isTolerated = verdict.isReached && options.repeatedCommandStatus === 202;
    return isTolerated ? { status: 202 } : problem(422, verdict.problem);
  }
  emit(store, verdict.emits, orderId);
  if (status === 'requestCancellation' && options.cancellation !== 'leave') {
    emit(store, options.cancellation === 'accept' ? 'CANCELLED' : 'CANCELLATION_REQUEST_DENIED', orderId);
  }
  return { status: verdict.status };
}
