import { ENDPOINTS, type EndpointName } from '../endpoints.js';
import { readRetryAfterMs } from '../http/retry-after.js';
import { sleepParked } from './clocks.js';
import type { MerchantChange, NewEvent, NewOrder } from './create-mock-hub.js';
import {
  type HubServices,
  type Incoming,
  malformedToken,
  type Outgoing,
  problem,
  process,
  route,
} from './endpoints.js';
import { type Fault, Faults } from './faults.js';
import { idSequence, type Json, merchantFixture, orderFixture } from './fixtures.js';
import { Journal, type JournalRecord } from './journal.js';
import type { ResolvedMockHubOptions } from './options.js';
import { project } from './order-lifecycle.js';
import type { Violation } from './rules.js';
import { type HubEvent, MockStore, type NewStore } from './store.js';
import { BrokenConnection, disturb, hang, toResponse } from './wire.js';

/** Requests that come this soon after a 429 were under way before the client could read it. */
const UNDER_WAY_MS = 1000;

/** The mock hub's whole behaviour, from request to response; how a request gets here it does not know. */
export class HubCore {
  readonly options: ResolvedMockHubOptions;
  readonly faults = new Faults();
  readonly journal = new Journal();
  readonly violations: Violation[] = [];
  /** Every store as it was added; `reset` makes them again. */
  readonly #added: NewStore[] = [];
  readonly #stores = new Map<string, MockStore>();
  /** The first store of each key. */
  readonly #byApiKey = new Map<string, MockStore>();
  readonly #nextId = idSequence();
  #polls = 0;
  #tokens = 0;
  #displayIds = 1000;

  constructor(options: ResolvedMockHubOptions) {
    this.options = options;
    for (const store of options.stores) this.addStore(store);
  }

  get stores(): readonly MockStore[] {
    return [...this.#stores.values()];
  }

  get defaultStore(): MockStore {
    return this.#stores.values().next().value as MockStore;
  }

  addStore(added: NewStore): MockStore {
    this.#added.push(added);
    return this.#make(added);
  }

  /** Forgets all that has happened; the stores are as they were added. */
  reset(): void {
    this.faults.clear();
    this.journal.clear();
    this.violations.length = 0;
    this.#stores.clear();
    this.#byApiKey.clear();
    for (const store of this.#added) this.#make(store);
  }

  #make({ clientId, clientSecret, apiKey, merchant }: NewStore): MockStore {
    const { clock, windows } = this.options;
    const document = merchant
      ? structuredClone(merchant)
      : merchantFixture(new Date(clock.now()).toISOString());
    const store = new MockStore({ clientId, clientSecret, apiKey }, document, windows);
    const isAnew = this.#stores.has(clientId);
    this.#stores.set(clientId, store);
    if (isAnew) this.#byApiKey.clear(); // the key of the former one may be another's, too
    for (const each of isAnew ? this.#stores.values() : [store]) {
      const { apiKey: key } = each.credentials;
      if (!this.#byApiKey.has(key)) this.#byApiKey.set(key, each);
    }
    return store;
  }

  store(clientId: string | undefined): MockStore {
    if (clientId === undefined) return this.defaultStore;
    const store = this.#stores.get(clientId);
    if (!store)
      throw new TypeError(`the mock hub has no store with clientId '${clientId}'; add it with addStore()`);
    return store;
  }

  createOrder({ clientId, orderId = this.#nextId(), ...more }: NewOrder = {}) {
    const store = this.store(clientId);
    this.#displayIds += 1;
    const createdAt = new Date(this.options.clock.now()).toISOString();
    const order = { ...orderFixture(orderId, String(this.#displayIds), createdAt), ...(more as Json) };
    store.orders.set(orderId, { document: order, tracked: { state: 'CREATED', asked: undefined } });
    return { orderId, order, event: this.#emit(store, 'CREATED', orderId) };
  }

  emitEvent(eventType: string, { clientId, orderId, ...more }: NewEvent = {}): HubEvent {
    return this.#emit(this.store(clientId), eventType, orderId ?? this.#nextId(), more);
  }

  redeliver(eventId: string): void {
    const { store, event } = this.#find(eventId);
    store.pending.set(eventId, event);
  }

  refuse(eventId: string): void {
    this.#find(eventId).store.refused.add(eventId);
  }

  publishMerchant(change: MerchantChange, clientId: string | undefined): void {
    const store = this.store(clientId);
    const before = store.merchant.lastUpdate;
    const copy = structuredClone(store.merchant);
    const after: Json =
      typeof change === 'function' ? ((change(copy) as Json | undefined) ?? copy) : { ...copy, ...change };
    const isDated = after.lastUpdate !== before || (typeof change !== 'function' && 'lastUpdate' in change);
    if (!isDated) after.lastUpdate = new Date(this.options.clock.now()).toISOString();
    store.merchant = after;
  }

  revokeTokens(): void {
    for (const store of this.#stores.values()) store.tokens.clear();
  }

  /** @throws {BrokenConnection} instead of an answer. */
  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = this.#below(url.pathname);
    const routed = path === undefined ? undefined : route(request.method, path);
    const body = await request.text();
    const record = this.#enter(request, url, routed?.endpoint, body);
    try {
      return await this.#answer(
        request,
        url,
        routed && { ...routed, headers: request.headers, body },
        record,
      );
    } finally {
      this.options.onRequest(record.entry);
    }
  }

  /** Answers 403 to a request that the hub must not process; the journal has it without its body. */
  forbid(request: Request, reason: string): Response {
    const url = new URL(request.url);
    const record = this.#enter(request, url, undefined, '');
    const response = this.#respond(record, problem(403, reason), undefined, request.signal);
    this.options.onRequest(record.entry);
    return response;
  }

  #enter(request: Request, url: URL, endpoint: EndpointName | undefined, body: string): JournalRecord {
    const { clock } = this.options;
    return this.journal.add({
      at: clock.now(),
      monotonicAt: clock.monotonic(),
      endpoint,
      method: request.method,
      path: url.pathname + url.search,
      headers: Object.fromEntries(request.headers),
      body,
    });
  }

  async #answer(
    request: Request,
    url: URL,
    incoming: Incoming | undefined,
    record: JournalRecord,
  ): Promise<Response> {
    const { clock, latencyMs } = this.options;
    const fault = incoming && this.faults.draw(incoming.endpoint);
    if (fault) this.journal.note(record, { fault });
    if (!incoming) {
      this.#violate(
        'unknown-path',
        undefined,
        `${record.entry.method} ${record.entry.path.split('?', 1)[0]} is no endpoint of the spec`,
      );
      return this.#respond(record, problem(404, 'not found'), undefined, request.signal);
    }
    if (url.search !== '')
      this.#violate('event-filter', incoming.endpoint, 'the spec knows no query parameters');
    const delayMs =
      (typeof latencyMs === 'function' ? latencyMs() : latencyMs) +
      (fault?.type === 'latency' ? fault.ms : 0);
    const answer = this.#decide(incoming, record, fault);
    if (delayMs > 0) await sleepParked(clock, delayMs, request.signal);
    if (fault?.type === 'hang') return hang(clock, request.signal);
    if (fault?.type === 'reset' || fault?.type === 'lost') throw new BrokenConnection();
    if (answer.status === 429 && !request.signal.aborted)
      this.#shut(record.entry.clientId, incoming.endpoint, answer.headers ?? {});
    return this.#respond(record, answer, fault, request.signal);
  }

  /** The path below the base path; an address with a path of its own is there through MSW and fetch, not over HTTP. */
  #below(pathname: string): string | undefined {
    const { baseUrl, basePath } = this.options;
    const own = new URL(baseUrl).pathname.replace(/\/$/, '');
    const prefix = [own + basePath, basePath].find((each) => pathname.startsWith(`${each}/`));
    return prefix === undefined ? undefined : pathname.slice(prefix.length);
  }

  /** The answer to a request: its store, its limit, its credentials, then what the endpoint does. */
  #decide(incoming: Incoming, record: JournalRecord, fault: Fault | undefined): Outgoing {
    const { endpoint } = incoming;
    const claimed = this.#claimedStore(incoming);
    const store = claimed?.store;
    if (store) this.journal.note(record, { clientId: store.credentials.clientId });
    const limited = store && this.#count(store, endpoint);
    const headers = store ? this.#limitHeaders(store, endpoint) : {};
    if (limited) return { ...limited, headers: { ...limited.headers, ...headers } };
    if (fault?.type === 'status') {
      const answer = { status: fault.status, body: fault.body, headers: { ...fault.headers } };
      return answer;
    }
    if (fault?.type === 'reset' || fault?.type === 'hang') return { status: 0 };
    const malformed = malformedToken(incoming, this.#services(endpoint));
    if (malformed) return malformed;
    if (!store || !claimed.authorized) return this.#refusal(endpoint);
    const answer = process(incoming, store, this.#services(endpoint));
    if (endpoint === 'acknowledgment' && answer.status === 202) {
      const acknowledged = (JSON.parse(incoming.body) as { id: string }[]).map(({ id }) => id);
      this.journal.note(record, { acknowledged });
    }
    const disturbed = endpoint === 'polling' ? disturb(answer, fault, this.#polls) : answer;
    if (endpoint === 'polling') {
      this.journal.note(record, { events: (disturbed.body as HubEvent[] | undefined) ?? [] });
    }
    return { ...disturbed, headers: { ...disturbed.headers, ...headers } };
  }

  #respond(record: JournalRecord, answer: Outgoing, fault: Fault | undefined, signal: AbortSignal): Response {
    const { clock } = this.options;
    this.journal.note(record, { status: answer.status, answeredMonotonicAt: clock.monotonic() });
    return toResponse(answer, fault, clock, signal);
  }

  /** The store a request names, and whether its credentials hold. */
  #claimedStore({
    endpoint,
    headers,
    body,
  }: Incoming): { store: MockStore; authorized: boolean } | undefined {
    switch (ENDPOINTS[endpoint].auth) {
      case 'none': {
        const store = this.#stores.get(new URLSearchParams(body).get('client_id') ?? '');
        return store && { store, authorized: true };
      }
      case 'apiKey': {
        const key = headers.get('x-api-key');
        const store = this.#byApiKey.get(key ?? '');
        return store && { store, authorized: true };
      }
      case 'bearer': {
        const token = headers.get('authorization')?.replace(/^Bearer /, '') ?? '';
        const store = this.#stores.get(/^mock\.([^.]+)\./.exec(token)?.[1] ?? '');
        return store && { store, authorized: (store.tokens.get(token) ?? 0) > this.options.clock.now() };
      }
    }
  }

  #refusal(endpoint: EndpointName): Outgoing {
    const { badKeyStatus } = this.options;
    if (endpoint === 'merchant') return problem(badKeyStatus, 'invalid apiKey');
    return problem(401, endpoint === 'token' ? 'invalid credentials' : 'unauthorized');
  }

  /** Counts a request against its limit (Spec §8); the refusal where it is over. */
  #count(store: MockStore, endpoint: EndpointName): Outgoing | undefined {
    const now = this.options.clock.monotonic();
    const shut = store.shut.get(endpoint);
    if (shut && now > shut.from && now < shut.until) {
      this.#violate('retry-after', endpoint, `sent ${shut.until - now} ms before Retry-After was over`);
    }
    const quota = store.quotas.get(endpoint);
    if (!quota || quota.take(now)) return undefined;
    const { windowMs } = ENDPOINTS[endpoint];
    this.#violate(
      'limit',
      endpoint,
      `more than ${quota.limit} requests in ${windowMs / 60_000} min (Spec §8)`,
    );
    const waitMs = quota.resetMs(now);
    const retryAfter =
      this.options.retryAfter === 'seconds'
        ? String(Math.ceil(waitMs / 1000))
        : new Date(Math.ceil((this.options.clock.now() + waitMs) / 1000) * 1000).toUTCString();
    return problem(429, 'rate limit exceeded', { 'retry-after': retryAfter });
  }

  /** IssueCollector that the client has been told to stay away, and until when. */
  #shut(clientId: string | undefined, endpoint: EndpointName, headers: Record<string, string>): void {
    const { clock } = this.options;
    const all = new Headers(headers);
    const waitMs = readRetryAfterMs((name) => all.get(name) ?? undefined, clock.now());
    const store = clientId === undefined ? undefined : this.#stores.get(clientId);
    if (!store || waitMs === undefined) return;
    const now = clock.monotonic();
    store.shut.set(endpoint, { from: now + UNDER_WAY_MS, until: now + waitMs });
  }

  #limitHeaders(store: MockStore, endpoint: EndpointName): Record<string, string> {
    const quota = store.quotas.get(endpoint);
    if (!quota || !this.options.limitHeaders) return {};
    const now = this.options.clock.monotonic();
    return {
      'x-ratelimit-limit': String(quota.limit),
      'x-ratelimit-remaining': String(quota.remaining(now)),
      'x-ratelimit-reset': String(Math.ceil(quota.resetMs(now) / 1000)),
    };
  }

  #services(endpoint: EndpointName): HubServices {
    return {
      options: this.options,
      issueToken: (store) => this.#issueToken(store),
      emit: (store, eventType, orderId, metadata) =>
        this.#emit(store, eventType, orderId, metadata ? { metadata } : {}),
      violate: (rule, message) => this.#violate(rule, endpoint, message),
      nextPoll: () => {
        this.#polls += 1;
        return this.#polls;
      },
    };
  }

  #issueToken(store: MockStore): string {
    const { clock, tokenLifetimeMs } = this.options;
    this.#tokens += 1;
    const { clientId } = store.credentials;
    const token = `mock.${clientId}.${this.#nextId().replaceAll('-', '')}${this.#tokens}`;
    store.tokens.set(token, clock.now() + tokenLifetimeMs);
    this.journal.mask.of('token', token); // tokens are numbered in the order of their issue
    return token;
  }

  #emit(
    store: MockStore,
    eventType: string,
    orderId: string,
    more: Omit<NewEvent, 'clientId' | 'orderId'> = {},
  ): HubEvent {
    const { clock, baseUrl } = this.options;
    const event: HubEvent = {
      eventId: more.eventId ?? this.#nextId(),
      eventType,
      orderId,
      createdAt: more.createdAt ?? new Date(clock.now()).toISOString(),
      orderURL: `${baseUrl}/order/v1/orders/${orderId}`,
      ...(more.metadata && { metadata: more.metadata }),
    };
    store.emit(event);
    const order = store.orders.get(orderId);
    if (order) {
      project(order.tracked, eventType);
      order.document.lastEvent = eventType;
    }
    return event;
  }

  #find(eventId: string): { store: MockStore; event: HubEvent } {
    for (const store of this.#stores.values()) {
      const event = store.find(eventId);
      if (event) return { store, event };
    }
    throw new TypeError(`the mock hub has never emitted an event '${eventId}'`);
  }

  #violate(rule: Violation['rule'], endpoint: EndpointName | undefined, message: string): void {
    this.violations.push({ rule, endpoint, at: this.options.clock.now(), message });
  }
}
