import { ACKNOWLEDGMENT_MAX_ITEMS, type EndpointName } from '../hub/endpoints.js';
import { parseJson } from '../reading/json.js';
import { withoutEvent } from './commands-without-event.js';
import type { Json } from './fixtures.js';
import type { HubState } from './hub-state.js';
import type { HubEvent, MockStore } from './mock-store.js';
import { checkCommand, mistakeInKind } from './order-lifecycle.js';
import { shuffle } from './random.js';
import { type MockResponse, problem } from './response.js';
import { type MockRequest, mediaTypeOf } from './router.js';
import { MAX_ORDERS } from './stores.js';
import { tokenCredentials } from './token-request.js';

type Respond = (request: MockRequest, store: MockStore, state: HubState) => MockResponse;

/** How each endpoint responds to a request with valid credentials. */
export const RESPOND: Readonly<Record<EndpointName, Respond>> = {
  token,
  merchant: (_request, store) => ({ status: 200, body: store.merchant }),
  polling,
  acknowledgment,
  order,
  orderStatus,
};

function token(request: MockRequest, store: MockStore, state: HubState): MockResponse {
  const { clock, profile, tokenLifetimeMs, expiresIn } = state.options;
  const { clientSecret } = tokenCredentials(request, profile.token);
  if (clientSecret !== store.credentials.clientSecret) return problem(401, 'invalid credentials');
  const seconds = Math.round(tokenLifetimeMs / 1000);
  const lifetime = {
    seconds: { expires_in: seconds },
    text: { expires_in: String(seconds) },
    epoch: { expires_in: clock.now() + tokenLifetimeMs },
    absent: {},
  }[expiresIn];
  return { status: 200, body: { access_token: state.issueToken(store), token_type: 'bearer', ...lifetime } };
}

function polling(request: MockRequest, store: MockStore, state: HubState): MockResponse {
  const { maxEventsPerPoll, order, emptyPoll } = state.options;
  const shops = polledShops(request);
  const refusal = refuseShops(shops, state);
  if (refusal) return refusal;
  const types = request.query.getAll('eventType').flatMap((given) => given.split(','));
  // As at real hubs, a filter acknowledges what it leaves out.
  if (types.length > 0)
    for (const event of store.pending) if (!types.includes(event.eventType)) store.pending.delete(event);
  const pending = shops
    ? [...store.pending].filter((event) => shops.has(store.shopOf(event)))
    : store.pending;
  const taken = take(pending, maxEventsPerPoll);
  const events = taken.map((event) => state.reachableAt(request.address, event));
  store.polls += 1;
  if (order === 'shuffled') shuffle(events, store.polls);
  if (events.length === 0 && emptyPoll === '204') return { status: 204 };
  return { status: 200, body: events };
}

/** Copies the first `count` values only: thousands of events may be pending. */
function take<T>(values: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const value of values) if (taken.push(value) >= count) break;
  return taken;
}

function acknowledgment({ headers, body }: MockRequest, store: MockStore, state: HubState): MockResponse {
  const { clock, unknownEventStatus } = state.options;
  if (mediaTypeOf(headers) !== 'application/json') {
    state.broken.add('content-type', 'the acknowledgment endpoint needs application/json (Spec §4.4)');
    return problem(400, 'content type must be application/json');
  }
  const items = parseItems(body);
  if (!items) {
    state.broken.add(
      'acknowledgment-body',
      'the body must be an array of { id, orderId, eventType } (Spec §4.4)',
    );
    return problem(400, 'the body must be an array of { id, orderId, eventType }');
  }
  if (items.length > ACKNOWLEDGMENT_MAX_ITEMS) {
    state.broken.add(
      'acknowledgment-size',
      `${items.length} items in one acknowledgment; the limit is 100 (Spec §4.4)`,
    );
    return problem(400, 'more than 100 items');
  }
  const confirmed: HubEvent[] = [];
  for (const { id, orderId, eventType } of items) {
    const events = store.withId(id);
    if (events.length === 0) return problem(unknownEventStatus, `unknown event ${id}`);
    if (store.refused.has(id)) return problem(400, `event ${id} cannot be acknowledged`);
    const meant = events.filter((event) => event.orderId === orderId && event.eventType === eventType);
    if (meant.length === 0) {
      const message = `the orderId or eventType of event ${id} differs from what the hub sent (Spec §4.4)`;
      state.broken.add('acknowledgment-body', message);
      return problem(400, `event ${id} has another orderId or eventType`);
    }
    confirmed.push(...meant);
  }
  for (const event of confirmed) {
    store.pending.delete(event);
    store.acknowledged.push({ ...event, acknowledgedAt: clock.now() });
    store.acknowledgedAt.set(event.eventId, clock.now());
  }
  return { status: 202 };
}

const ITEM_FIELDS = ['id', 'orderId', 'eventType'] as const;

/** Parses the items of an acknowledgment; undefined if the body is anything else. */
function parseItems(body: string): Record<(typeof ITEM_FIELDS)[number], string>[] | undefined {
  const parsed = parseJson(body);
  const isItem = (item: unknown) =>
    ITEM_FIELDS.every((name) => typeof Reflect.get(Object(item), name) === 'string');
  return Array.isArray(parsed) && parsed.every(isItem) ? parsed : undefined;
}

function order({ parameters }: MockRequest, store: MockStore, state: HubState): MockResponse {
  const found = store.orders.get(parameters.orderId ?? '');
  if (found?.hasNoDocument) return problem(404, 'the recording has no document of this order');
  return found ? { status: 200, body: found.document } : orderNotFound(state);
}

function orderNotFound({ forgottenOrders: { count } }: HubState): MockResponse {
  if (count === 0) return problem(404, 'order not found');
  const what = `the mock hub keeps ${MAX_ORDERS} orders and has forgotten ${count} without pending events`;
  return problem(404, `order not found; ${what}`);
}

function orderStatus(request: MockRequest, store: MockStore, state: HubState): MockResponse {
  const { repeatedCommandStatus, cancellation, strictBodies, profile } = state.options;
  const { parameters, method } = request;
  const { orderId = '', status: command = '' } = parameters;
  const found = store.orders.get(orderId);
  if (!found) return orderNotFound(state);
  const mistakes = checkCommandBody(request, command, state);
  const isForOrder = method !== 'POST' || checkKind(command, orderId, found.document, state);
  if (mistakes !== undefined && strictBodies) return problem(400, mistakes);
  if (!isForOrder && profile.commands.refuseOthers) {
    return problem(422, `${command} is not for this kind of order`);
  }
  const wrongCode = refuseCode(command, request.body, state);
  if (wrongCode) return wrongCode;
  const recorded = method === 'POST' ? state.replay?.command(orderId, command, found) : undefined;
  const response = recorded ?? withoutEvent(request, found);
  if (response) return response;
  const result = method === 'POST' && checkCommand(found.state, command, String(found.document.type));
  if (!result) return problem(404, `unknown command: ${command}`);
  if ('problem' in result) {
    const isTolerated = result.isRepeated && repeatedCommandStatus === 202;
    return isTolerated ? { status: 202 } : problem(422, result.problem);
  }
  state.emitTo(store, result.emits, { orderId });
  if (command === 'requestCancellation' && cancellation !== 'leave') {
    state.emitTo(store, cancellation === 'accept' ? 'CANCELLED' : 'CANCELLATION_REQUEST_DENIED', { orderId });
  }
  return { status: result.status };
}

/** Reports a command that is for another kind of order. Returns whether it is for this one. */
function checkKind(command: string, orderId: string, document: Json, state: HubState): boolean {
  const mistake = mistakeInKind(command, document);
  if (mistake === undefined) return true;
  state.broken.add('command-not-for-this-order', `${command} is not for order ${orderId}: ${mistake}`);
  return false;
}

/** Reports a body that the standard does not allow. Returns what is wrong with it; undefined: nothing. */
function checkCommandBody(
  { headers, body, mistakesInBody }: MockRequest,
  command: string,
  state: HubState,
): string | undefined {
  if (mistakesInBody !== undefined) {
    // It quotes the body, in which a client may have put any credential.
    const mistakes = state.journal.mask.own(mistakesInBody, state.stores.all);
    const message = `the body of ${command} is not as in the standard: ${mistakes}`;
    state.broken.add('command-body', message);
    return message;
  }
  if (body === '' || mediaTypeOf(headers) === 'application/json') return undefined;
  const message = `the body of ${command} needs the content type application/json`;
  state.broken.add('content-type', message);
  return message;
}

/** Refuses a code that the profile of the host does not have. */
function refuseCode(command: string, body: string, { options }: HubState): MockResponse | undefined {
  const { cancellationCodes, denialCodes } = options.profile;
  const codes = new Map([
    ['requestCancellation', cancellationCodes],
    ['denyCancellation', denialCodes],
  ]).get(command);
  const code = String(Reflect.get(Object(parseJson(body)), 'code'));
  return codes === undefined || codes.includes(code)
    ? undefined
    : problem(400, `code must be one of ${codes.join(', ')}`);
}

/** The most shops that one poll may name, by the standard. */
const MAX_SHOPS = 100;

/** The shops that a poll names with `x-polling-merchants`; undefined: all. */
function polledShops({ headers }: MockRequest): ReadonlySet<string> | undefined {
  const header = headers.get('x-polling-merchants');
  return header === null ? undefined : new Set(header.split(',').map((shop) => shop.trim()));
}

function refuseShops(shops: ReadonlySet<string> | undefined, state: HubState): MockResponse | undefined {
  if (!shops || shops.size <= MAX_SHOPS) return undefined;
  state.broken.add('polling-merchants', `${shops.size} merchants in one poll; the limit is 100`);
  return problem(400, 'more than 100 merchants');
}
