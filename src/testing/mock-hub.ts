import type { Faults } from './faults.js';
import type { Json } from './fixtures.js';
import type { MswHandlers } from './handlers.js';
import type { JournalEntry } from './journal.js';
import type { ListenOptions } from './listen-options.js';
import type { AcknowledgedEvent, HubEvent, NewStore, StoreCredentials } from './mock-store.js';
import type { Deliverer, OrderPart } from './order-amounts.js';
import type { GivenOrderTiming, GivenOrderType } from './orders.js';
import type { Pushing, PushOptions, PushTarget } from './push.js';
import type { Violation } from './rules.js';
import type { ListeningHub } from './server.js';

/**
 * Input of `mock.createOrder`. The order has all data that the standard requires for its kind. Any other key
 * goes into the order document, and replaces what the mock hub would have put there.
 *
 * @example
 * ```ts
 * mock.createOrder({ type: 'TAKEOUT', extraInfo: 'no onions' });
 * mock.createOrder({ orderTiming: 'SCHEDULED', deliveredBy: 'MARKETPLACE', include: ['options', 'change'] });
 * ```
 */
export interface NewOrder {
  /** The store that receives the order; default: the first store. */
  readonly clientId?: string | undefined;
  /** Default: a new UUID. */
  readonly orderId?: string | undefined;
  /**
   * The shop that the order is for, if the store's credentials are those of several shops. It is the id of the
   * order's merchant, and all events of the order have it as `merchantId`. Default: the shop of the store's
   * merchant document; then the events do not name it.
   */
  readonly merchantId?: string | undefined;
  /** How the customer gets the order; default DELIVERY. */
  readonly type?: GivenOrderType | undefined;
  /** When the order is due; default INSTANT. SCHEDULED: in two hours. */
  readonly orderTiming?: GivenOrderTiming | undefined;
  /** Who brings a DELIVERY to the customer; default MERCHANT. */
  readonly deliveredBy?: Deliverer | undefined;
  /**
   * What the order contains besides one pizza, the delivery fee and a payment by PIX; default: nothing.
   *
   * - `options`: two pizzas with an option.
   * - `discounts`: a discount, paid by marketplace and store.
   * - `fees`: a service fee and a tip.
   * - `change`: the customer pays in cash and needs change.
   */
  readonly include?: readonly OrderPart[] | undefined;
  /** Any other field of the order document. */
  readonly [key: string]: unknown;
}

/**
 * Input of `mock.emit`; every field has a default. Any other key goes into the event.
 *
 * @example
 * ```ts
 * mock.emit('CREATED', { orderId, sourceAppId: '0b7e5d21-0000-4000-9000-000000000001' });
 * ```
 */
export interface NewEvent {
  /** The store that receives the event; default: that of the order, or else the first store. */
  readonly clientId?: string | undefined;
  /** Default: a new UUID that belongs to no order. */
  readonly orderId?: string | undefined;
  /** Default: a new UUID. */
  readonly eventId?: string | undefined;
  /** Default: now, as ISO 8601. Sent as given, also if it is not a date. */
  readonly createdAt?: string | undefined;
  /** Default: none. */
  readonly metadata?: Json | undefined;
  /** Default: the address of the order at this hub. */
  readonly orderURL?: string | undefined;
  /** Any other field of the event. */
  readonly [key: string]: unknown;
}

/**
 * A change of a merchant document: keys to set at its root, or a function that
 * changes a copy of the document or returns a new one.
 *
 * @example
 * ```ts
 * mock.publishMerchant({ status: 'UNAVAILABLE' });
 * mock.publishMerchant((merchant) => {
 *   merchant.itemOffers[0].status = 'UNAVAILABLE';
 * });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: tests reach deep into the document, and may make it invalid
export type MerchantChange = ((merchant: any) => unknown) | Json;

/**
 * A stateful mock of the hub's whole API, for the tests of this package and of
 * applications that use it. It enforces tokens, API keys, limits and the order
 * lifecycle, and records what the client does.
 *
 * `clientId` selects a store. Default: the first store.
 */
export interface MockHub {
  /** The hub's address without a trailing slash; default `'https://hub.example'`. Pass it to the client. */
  readonly baseUrl: string;
  /** The credentials of the first store: `new HubClient({ ...mock.credentials, … })`. */
  readonly credentials: StoreCredentials;
  /**
   * Request handlers for MSW. They respond to every request below `baseUrl`.
   *
   * @example
   * ```ts
   * const server = setupServer(...mock.handlers);
   * server.listen({ onUnhandledRequest: 'error' });
   * ```
   */
  readonly handlers: MswHandlers;
  /**
   * Responds to requests in this process; pass it to the client as `fetch`. If
   * a fault breaks the connection, it rejects as Node's fetch does.
   */
  readonly fetch: typeof globalThis.fetch;
  /** The credentials of all stores, in the order in which they were added. */
  readonly stores: readonly StoreCredentials[];
  /**
   * Serves the hub over HTTP on 127.0.0.1, for applications in any language.
   * A request gets 403 if its `Host` is not a loopback address, or if a web page of
   * another origin sends it. The options `host`, `allowHost` and `allowOrigin` let containers and pages in.
   *
   * @example
   * ```ts
   * const { url, close } = await mock.listen();
   * const hub = new HubClient({ baseUrl: url, ...mock.credentials });
   * ```
   *
   * @throws {ConfigurationError} an option is unknown or invalid.
   */
  listen(options?: ListenOptions): Promise<ListeningHub>;
  /**
   * Adds a store with its own quota, tokens, orders and events.
   *
   * @throws {ConfigurationError} a field is missing or invalid.
   */
  addStore(store: NewStore): StoreCredentials;
  /**
   * Creates an order and emits CREATED for it.
   *
   * @example
   * ```ts
   * const { orderId } = mock.createOrder({ type: 'TAKEOUT' });
   * ```
   *
   * @throws {TypeError} no store has this `clientId`, or `deliveredBy` or `include` has an unknown value.
   */
  createOrder(order?: NewOrder): { readonly orderId: string; readonly order: Json; readonly event: HubEvent };
  /**
   * Emits an event. If the order exists, it moves to the stage of the event, unless it is already past it.
   *
   * @example
   * ```ts
   * mock.emit('CANCELLED', { orderId });
   * ```
   *
   * @param eventType - any string; the hub may send types that the spec does not list.
   * @throws {TypeError} `eventType` is not a non-empty string, or no store has this `clientId`.
   */
  emit(eventType: string, event?: NewEvent): HubEvent;
  /** All emitted events, oldest first. */
  emitted(clientId?: string): readonly HubEvent[];
  /** The events that the client has not acknowledged, oldest first. */
  pending(clientId?: string): readonly HubEvent[];
  /** The acknowledged events, in the order of their acknowledgment. An event that was acknowledged twice is listed twice. */
  acknowledged(clientId?: string): readonly AcknowledgedEvent[];
  /**
   * Makes an event pending again, as hubs do after a failure.
   *
   * @throws {TypeError} the hub has not emitted this event.
   */
  redeliver(eventId: string): void;
  /**
   * Pushes each event of a store to a webhook from now on, as the standard's `newEvent`: signed with the client
   * secret, sent again after a failure by the mock hub's clock. An event that was accepted with 2xx is not pending
   * any more. `reset` ends it.
   *
   * @example
   * ```ts
   * mock.push('http://localhost:3000/newEvent');
   * mock.push((request) => poller.receive(request)); // without a server
   * ```
   *
   * @throws {ConfigurationError} the target is not an address, or an option is unknown or invalid.
   * @throws {TypeError} no store has this `clientId`.
   */
  push(target: PushTarget, options?: PushOptions): Pushing;
  /**
   * From now on, every acknowledgment that contains this event gets 400.
   *
   * @throws {TypeError} the hub has not emitted this event.
   */
  refuseAcknowledgment(eventId: string): void;
  /**
   * Changes a store's merchant document. `lastUpdate` becomes the current time,
   * unless the change sets it.
   *
   * @example
   * ```ts
   * mock.publishMerchant({ status: 'UNAVAILABLE' });
   * ```
   */
  publishMerchant(change: MerchantChange, options?: { readonly clientId?: string | undefined }): void;
  /**
   * Puts the application in the host's allow list, if the profile has one (`statusUntilAllowed`): until then, every
   * request is refused. It stays there after `reset`. The switch `allowed` does it from the start.
   */
  allow(): void;
  /** From now on, every token that was issued so far gets 401. */
  revokeTokens(): void;
  /**
   * The latest requests of all stores, oldest first: at most 10,000, and 16 MB
   * as JSON. Credentials are masked. The option `onRequest` sees every request.
   */
  readonly requests: readonly JournalEntry[];
  /**
   * The rules of the spec that the client has broken, oldest first. A test should expect `[]`.
   *
   * @param clientId - of the store whose credentials the requests had; default: all, those without a store included.
   * @throws {TypeError} no store has this `clientId`.
   */
  violations(clientId?: string): readonly Violation[];
  /** Makes requests fail: `mock.faults.next('polling', 503)`. */
  readonly faults: Faults;
  /** A copy of a store's current merchant document. */
  merchant(clientId?: string): Json;
  /**
   * Removes all orders, events, tokens, requests, violations, faults and used quota, and stops every push. The
   * stores remain, with the menu with which they were added. With `clientId`, only that store is reset.
   *
   * @example
   * ```ts
   * afterEach(mock.reset);
   * ```
   *
   * @throws {TypeError} no store has this `clientId`.
   */
  reset(options?: { readonly clientId?: string | undefined }): void;
}
