import { ENDPOINTS, type EndpointName } from '../hub/endpoints.js';
import { mistakesInBody } from './command-bodies.js';
import { isCodeQuery } from './commands-without-event.js';
import { withheld } from './credential-mask.js';
import { applyDeadlines } from './deadlines.js';
import { RESPOND } from './endpoints.js';
import type { Fault } from './fault.js';
import type { DrawnFault } from './faults.js';
import type { HubState } from './hub-state.js';
import type { JournalEntry } from './journal.js';
import { blockEndpoint, countRequest, limitHeaders } from './limits.js';
import type { HubEvent, LatestCommand, MockStore } from './mock-store.js';
import { clientIdIn } from './own-token.js';
import {
  BrokenConnection,
  disturbEvents,
  hang,
  type MockResponse,
  problem,
  sleepParked,
  toResponse,
} from './response.js';
import { type MockRequest, type Route, routerOf } from './router.js';
import {
  mistakeInSignature,
  refuseHeaders,
  refuseMalformedToken,
  tokenCredentials,
} from './token-request.js';

/**
 * Turns a request into a response. MSW, `fetch` and the HTTP server all call it.
 *
 * A request passes: journal → fault → route → limit → credentials → endpoint →
 * delay → fault again (on the response) → journal.
 */
export class HubCore {
  readonly #state: HubState;
  readonly #find: ReturnType<typeof routerOf>;

  constructor(state: HubState) {
    this.#state = state;
    this.#find = routerOf(state.options, state.endpoints);
  }

  /** @throws {BrokenConnection} a fault broke the connection. */
  async respond(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const route = this.#find(request.method, url.pathname);
    const body = await request.text();
    const store = this.#storeOf({ headers: request.headers, body }, route?.endpoint);
    const entry = this.#record(request, url, route?.endpoint, body, store);
    const command = route?.endpoint === 'orderStatus' ? this.#noteCommand(route, entry, store) : undefined;
    try {
      if (!route) return this.#refuseUnknownPath(request, entry);
      if (url.search !== '' && !isCodeQuery(route, url.searchParams)) {
        const message = 'the request has a query string; the spec has no query parameters';
        this.#state.broken.add('event-filter', message);
      }
      const { method, headers } = request;
      const address = url.origin + route.prefix;
      const isCommand = route.endpoint === 'orderStatus';
      const mistakes = isCommand ? mistakesInBody(route.parameters.status ?? '', body) : undefined;
      const query = url.searchParams;
      const routed = { ...route, method, address, query, headers, body, mistakesInBody: mistakes };
      return await this.#respond(routed, entry, request);
    } finally {
      if (command) command.status = entry.status;
      this.#state.options.onRequest(entry);
    }
  }

  /** The request may have no credentials, or those of another store. */
  #noteCommand({ parameters }: Route, entry: JournalEntry, sender: MockStore | undefined): LatestCommand {
    const { orderId = '', status: name = '' } = parameters;
    const { stores, journal } = this.#state;
    const number = journal.numberOf(entry);
    const command = { name, number, monotonicAt: entry.monotonicAt, status: undefined };
    const store = sender?.orders.has(orderId) ? sender : stores.withOrder(orderId);
    if (store.orders.has(orderId)) store.commands.set(orderId, command);
    return command;
  }

  /** Refuses a request with 403 without processing it. The journal records it without its body. */
  forbid(request: Request, reason: string): Response {
    const entry = this.#record(request, new URL(request.url), undefined, '', undefined);
    const response = this.#send(entry, problem(403, reason), undefined, request.signal);
    this.#state.options.onRequest(entry);
    return response;
  }

  #record(
    { method, headers }: Request,
    url: URL,
    endpoint: EndpointName | undefined,
    body: string,
    store: MockStore | undefined,
  ): JournalEntry {
    const { journal, options, stores } = this.#state;
    const mayBeForToken = endpoint === 'token' || (endpoint === undefined && journal.mask.isHintedIn(body));
    const isSecretFound = tokenCredentials({ headers, body }, options.profile.token).clientSecret;
    const entry = journal.add(
      {
        at: options.clock.now(),
        monotonicAt: options.clock.monotonic(),
        endpoint,
        method,
        path: url.pathname + url.search,
        headers: Object.fromEntries(headers),
        body: body !== '' && mayBeForToken && !isSecretFound ? withheld(body) : body,
        ...(store && { clientId: store.credentials.clientId }),
      },
      store ? [store] : stores.all,
    );
    this.#state.broken.current = entry;
    return entry;
  }

  #refuseUnknownPath({ method, signal }: Request, entry: JournalEntry): Response {
    const path = entry.path.split('?', 1)[0]; // of the journal: credentials are masked there
    this.#state.broken.add('unknown-path', `${method} ${path} is not an endpoint of the spec`);
    return this.#send(entry, problem(404, 'not found'), undefined, signal);
  }

  async #respond(request: MockRequest, entry: JournalEntry, { url, signal }: Request): Promise<Response> {
    const { clock, latencyMs, profile } = this.#state.options;
    const drawn = this.#state.faults.drawCounted(request.endpoint, entry.clientId);
    const fault = drawn?.fault;
    if (fault) this.#state.journal.note(entry, { fault });
    const delayMs =
      (typeof latencyMs === 'function' ? latencyMs() : latencyMs) +
      (fault?.type === 'latency' ? fault.ms : 0);
    const mistake = profile.sign && (await mistakeInSignature(request, url, profile.sign));
    const response = this.#decide(request, entry, drawn, mistake);
    if (delayMs > 0) await sleepParked(clock, delayMs, signal);
    if (fault?.type === 'hang') return hang(clock, signal);
    if (fault?.type === 'reset' || fault?.type === 'lost') throw new BrokenConnection();
    if (response.status === 429 && !signal.aborted) {
      blockEndpoint(this.#state, entry.clientId, request.endpoint, response.headers ?? {});
    }
    return this.#send(entry, response, fault, signal);
  }

  /** Decides on a request, in the order of a real hub: limit, credentials, endpoint. */
  #decide(
    request: MockRequest,
    entry: JournalEntry,
    drawn: DrawnFault | undefined,
    mistake: string | undefined,
  ): MockResponse {
    const state = this.#state;
    state.broken.current = entry;
    const { endpoint } = request;
    const fault = drawn?.fault;
    const { clock } = state.options;
    const store = state.stores.withClientId(entry.clientId);
    const validUntil = store?.tokens.get(tokenOf(request.headers)) ?? 0;
    const isAuthorized = ENDPOINTS[endpoint].auth !== 'bearer' || validUntil > clock.now();
    const limited = store && countRequest(state, store, endpoint);
    const headers = store ? limitHeaders(state, store, endpoint) : {};
    if (limited) return { ...limited, headers: { ...limited.headers, ...headers } };
    if (fault?.type === 'status') {
      return { status: fault.status, body: fault.body, headers: { ...fault.headers } };
    }
    if (fault?.type === 'reset' || fault?.type === 'hang') return { status: 0 }; // never sent
    const { statusUntilAllowed } = state.options.profile;
    if (!state.isAllowed && statusUntilAllowed !== undefined) {
      return problem(statusUntilAllowed, 'not found');
    }
    if (mistake !== undefined) {
      state.broken.add('signature', mistake);
      return problem(401, 'the signature is not valid');
    }
    const refusal = refuseHeaders(request, state) ?? refuseMalformedToken(request, state);
    if (refusal) return refusal;
    if (!store || !isAuthorized) return this.#unauthorized(endpoint);
    applyDeadlines(store, state);
    let response = RESPOND[endpoint](request, store, state);
    if (endpoint === 'acknowledgment' && response.status === 202) {
      const items = JSON.parse(request.body) as readonly { readonly id: string }[];
      state.journal.note(entry, { acknowledged: items.map(({ id }) => id) });
    }
    if (endpoint === 'polling') {
      response = disturbEvents(response, drawn);
      state.journal.note(entry, {
        events: Array.isArray(response.body) ? (response.body as HubEvent[]) : [],
      });
    }
    return { ...response, headers: { ...response.headers, ...headers } };
  }

  /** The store whose credentials a request has, valid or not; undefined if they belong to no store (Spec §5). */
  #storeOf(
    request: Pick<MockRequest, 'headers' | 'body'>,
    endpoint: EndpointName | undefined,
  ): MockStore | undefined {
    const { stores, options } = this.#state;
    const withToken = () => stores.withClientId(clientIdIn(tokenOf(request.headers)));
    const withApiKey = () => stores.withApiKey(request.headers.get('x-api-key'));
    switch (endpoint && ENDPOINTS[endpoint].auth) {
      case 'none':
        return stores.withClientId(tokenCredentials(request, options.profile.token).clientId);
      case 'apiKey':
        return withApiKey();
      case 'bearer':
        return withToken();
      default:
        return withToken() ?? withApiKey();
    }
  }

  #unauthorized(endpoint: EndpointName): MockResponse {
    if (endpoint === 'merchant') return problem(this.#state.options.badKeyStatus, 'invalid apiKey');
    return problem(401, endpoint === 'token' ? 'invalid credentials' : 'unauthorized');
  }

  #send(
    entry: JournalEntry,
    response: MockResponse,
    fault: Fault | undefined,
    signal: AbortSignal,
  ): Response {
    const { journal, options, stores } = this.#state;
    if (entry.events && response.status === 200) {
      stores.withClientId(entry.clientId)?.deliver(entry.events, options.clock.now());
    }
    journal.note(entry, { status: response.status, answeredMonotonicAt: options.clock.monotonic() });
    return toResponse(response, fault, options.clock, signal);
  }
}

/** The scheme may be in any case (RFC 9110, 11.1). */
const tokenOf = (headers: Headers) => /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
