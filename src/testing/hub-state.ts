import { type EndpointTable, endpointsOf } from '../hub/host-endpoints.js';
import { Faults } from './faults.js';
import { idSequence, type Json, withUnit } from './fixtures.js';
import { Journal } from './journal.js';
import type { MerchantChange, NewEvent, NewOrder } from './mock-hub.js';
import type { HubEvent, MockOrder, MockStore } from './mock-store.js';
import type { ResolvedMockHubOptions } from './options.js';
import { applyEvent } from './order-lifecycle.js';
import { orderFixture } from './orders.js';
import { tokenOfStore } from './own-token.js';
import { Pushers } from './pushers.js';
import { Replay } from './replay.js';
import type { Violation } from './rules.js';
import { ForgottenOrders, Stores } from './stores.js';
import { type CausedViolation, Violations } from './violations.js';

/** Everything that changes while a mock hub runs, and the actions of `MockHub` on it. */
export class HubState {
  readonly options: ResolvedMockHubOptions;
  /** `baseUrl` and `basePath`. */
  readonly address: string;
  /** Where it listens at present, `basePath` included. */
  readonly listeningAt = new Set<string>();
  readonly endpoints: EndpointTable;
  readonly stores: Stores;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The rules that the client has broken; `violations()` also has the answers that are missing. */
  readonly broken: Violations;
  readonly pushers: Pushers;
  readonly forgottenOrders = new ForgottenOrders();
  /** Undefined: the hub plays no recording. */
  readonly replay: Replay | undefined;
  /** Whether the host has put the application in its allow list. */
  isAllowed: boolean;
  readonly #nextId = idSequence();
  #tokens = 0;
  #displayIds = 1000;

  constructor(options: ResolvedMockHubOptions) {
    this.options = options;
    this.address = options.baseUrl + options.basePath;
    this.endpoints = endpointsOf(options.profile);
    this.isAllowed = options.allowed || options.profile.statusUntilAllowed === undefined;
    this.journal = new Journal(options.profile.token.fields.clientSecret);
    this.stores = new Stores(options, this.endpoints);
    this.faults = new Faults((clientId) => this.stores.get(clientId));
    this.broken = new Violations(options.clock, this.journal);
    this.pushers = new Pushers(this);
    this.replay = options.replay && new Replay(options.replay, this);
  }

  /** @param clientId - of the only store that is reset. */
  reset(clientId?: string): void {
    this.options.onReset(this.violations(clientId));
    const isDefault = this.stores.get(clientId) === this.stores.default;
    const faults = clientId === undefined ? this.faults : this.faults.ofStore(clientId);
    faults.clear();
    this.journal.remove(clientId);
    this.broken.remove(clientId);
    this.pushers.stop(clientId);
    this.stores.reset(clientId);
    if (clientId === undefined) this.forgottenOrders.clear();
    if (isDefault) this.replay?.restart();
  }

  createOrder({
    clientId,
    orderId = this.#nextId(),
    merchantId,
    type,
    orderTiming,
    deliveredBy,
    include,
    ...more
  }: NewOrder = {}) {
    const store = this.stores.get(clientId);
    const kind = { type, orderTiming, deliveredBy, include };
    const fixture = orderFixture(orderId, String(this.#displayIds + 1), this.#isoNow(), kind);
    const merchant = merchantId !== undefined && {
      merchant: { ...(fixture.merchant as Json), id: merchantId },
    };
    const { itemUnit } = this.options.profile;
    const order = { ...withUnit(fixture, itemUnit), ...merchant, ...(more as Json) };
    this.addOrder(store, orderId, order, merchantId);
    store.unanswered.created(orderId);
    return { orderId, order, event: this.emitTo(store, 'CREATED', { orderId }) };
  }

  /** @param document - undefined: the recording does not have it. */
  addOrder(store: MockStore, orderId: string, document: Json | undefined, merchantId?: string): void {
    this.#displayIds += 1;
    this.forgottenOrders.makeRoom(this.stores.all);
    const order: MockOrder = {
      number: this.#displayIds,
      document: document ?? {},
      state: { stage: 'CREATED', cancellationBy: new Set() },
      merchantId,
      hasNoDocument: document === undefined,
    };
    store.orders.set(orderId, order);
  }

  emit(eventType: string, { clientId, ...event }: NewEvent = {}): HubEvent {
    if (typeof eventType !== 'string' || eventType === '') {
      throw new TypeError("eventType: must be a non-empty string, such as 'CREATED'");
    }
    const { stores } = this;
    const store = clientId === undefined ? stores.withOrder(event.orderId) : stores.get(clientId);
    return this.emitTo(store, eventType, event);
  }

  emitTo(store: MockStore, eventType: string, given: NewEvent): HubEvent {
    const { orderId = this.#nextId(), eventId = this.#nextId(), createdAt = this.#isoNow() } = given;
    const { metadata, ...more } = given;
    const order = store.orders.get(orderId);
    const event: HubEvent = {
      ...(order?.merchantId !== undefined && { merchantId: order.merchantId }),
      ...more,
      ...(metadata !== undefined && { metadata }),
      eventId,
      eventType,
      orderId,
      createdAt,
      orderURL: given.orderURL ?? this.#orderUrl(orderId),
    };
    store.emit(event, this.options.clock.monotonic());
    if (order) {
      const isLate = applyEvent(order.state, eventType);
      if (!isLate) order.document.lastEvent = eventType;
      store.unanswered.changed(orderId, order.state);
    }
    this.pushers.push(store, event);
    return event;
  }

  /** Over HTTP, the hub has another address than its `baseUrl`; the client must be able to request `orderURL`. */
  reachableAt<Event extends HubEvent>(address: string, event: Event): Event {
    const { address: own, endpoints } = this;
    const [beforeId] = endpoints.order.path.split('{');
    // A test may emit anything.
    const orderURL = String(event.orderURL);
    if (address === own || !orderURL.startsWith(`${own}${beforeId}`)) return event;
    return { ...event, orderURL: address + orderURL.slice(own.length) };
  }

  /** At the address where the hub listens at present, if it does. */
  reachableWhereListening(event: HubEvent): HubEvent {
    return this.reachableAt([...this.listeningAt].at(-1) ?? this.address, event);
  }

  redeliver(eventId: string): void {
    const { store } = this.stores.withEvent(eventId);
    for (const event of store.withId(eventId)) {
      store.redeliver(event, this.options.clock.monotonic());
      this.pushers.push(store, event);
    }
  }

  refuseAcknowledgment(eventId: string): void {
    this.stores.withEvent(eventId).store.refused.add(eventId);
  }

  publishMerchant(change: MerchantChange, clientId: string | undefined): void {
    const store = this.stores.get(clientId);
    const before = store.merchant.lastUpdate;
    const copy = structuredClone(store.merchant);
    const after: Json =
      typeof change === 'function' ? ((change(copy) as Json | undefined) ?? copy) : { ...copy, ...change };
    const isDated = after.lastUpdate !== before || (typeof change !== 'function' && 'lastUpdate' in change);
    // Newer than before, also if no time has passed.
    const earliest = Date.parse(String(before)) + 1 || 0;
    if (!isDated) after.lastUpdate = new Date(Math.max(this.options.clock.now(), earliest)).toISOString();
    store.merchant = after;
  }

  issueToken(store: MockStore): string {
    const { clock, tokenLifetimeMs } = this.options;
    this.#tokens += 1;
    const unique = `${this.#nextId().replaceAll('-', '')}${this.#tokens}`;
    const token = tokenOfStore(store.credentials.clientId, unique);
    store.tokens.set(token, clock.now() + tokenLifetimeMs);
    this.journal.mask.of('token', token); // tokens are numbered in the order of their issue
    return token;
  }

  allow(): void {
    this.isAllowed = true;
  }

  revokeTokens(): void {
    for (const store of this.stores.all) store.tokens.clear();
  }

  violations(clientId?: string): readonly Violation[] {
    return this.causedViolations(clientId).map(({ violation }) => violation);
  }

  /** Oldest first. */
  causedViolations(clientId?: string): readonly CausedViolation[] {
    const stores = clientId === undefined ? this.stores.all : [this.stores.get(clientId)];
    const broken = this.broken.all.filter((each) => clientId === undefined || each.clientId === clientId);
    const unanswered = stores.flatMap((store) => store.unanswered.violations());
    return [...broken, ...unanswered].sort((one, other) => one.violation.at - other.violation.at);
  }

  /** How many `violations` returns, without sorting them. */
  countViolations(): number {
    const unanswered = this.stores.all.reduce((sum, store) => sum + store.unanswered.violations().length, 0);
    return this.broken.all.length + unanswered;
  }

  #orderUrl(orderId: string): string {
    return this.address + this.endpoints.order.path.replace('{orderId}', () => segment(orderId));
  }

  #isoNow(): string {
    return new Date(this.options.clock.now()).toISOString();
  }
}

/** A segment of a path. A lone surrogate cannot be encoded. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed());
