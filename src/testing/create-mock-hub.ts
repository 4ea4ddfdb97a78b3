import { controlled } from './control.js';
import { HubCore } from './core.js';
import type { Faults } from './faults.js';
import type { Json } from './fixtures.js';
import { handlersOf, type MswHandlers } from './handlers.js';
import type { JournalEntry } from './journal.js';
import { checkStore, type MockHubOptions, resolveMockHubOptions } from './options.js';
import type { Violation } from './rules.js';
import { type ListeningHub, listen } from './server.js';
import type { AcknowledgedEvent, HubEvent, NewStore, StoreCredentials } from './store.js';
import { BrokenConnection, networkError } from './wire.js';

/** What `createOrder` can be told; other keys go into the order's document. */
export interface NewOrder {
  readonly clientId?: string;
  readonly orderId?: string;
  readonly [key: string]: unknown;
}

export interface NewEvent {
  readonly clientId?: string;
  readonly orderId?: string;
  readonly eventId?: string;
  readonly createdAt?: string;
  readonly metadata?: Json;
}

/** A change of a merchant document: a function of a copy of it, or keys to put into its root. */
// biome-ignore lint/suspicious/noExplicitAny: a test reaches deep into it, and may break it on purpose
export type MerchantChange = ((merchant: any) => unknown) | Json;

/** A stateful hub after the spec, for tests: of this package and of applications that use it. */
export interface MockHub {
  readonly baseUrl: string;
  /** Of the store that exists from the beginning. */
  readonly credentials: StoreCredentials;
  /** Handlers for MSW: `setupServer(...mock.handlers)`. Nothing sent to `baseUrl` passes them by. */
  readonly handlers: MswHandlers;
  /** Answers a request in this process, as fetch would; breaks as fetch would. */
  readonly fetch: typeof globalThis.fetch;
  /** Of every store there is, the default one first. */
  readonly stores: readonly StoreCredentials[];
  /**
   * Serves the hub over HTTP on this machine, to programs and to pages of its
   * own: a request for another `Host` than a loopback one, or from a page of
   * another origin, is answered with 403.
   */
  listen(options?: ListenOptions): Promise<ListeningHub>;
  /** Adds a restaurant of its own: quota, tokens, orders, events. */
  addStore(store: NewStore): StoreCredentials;
  /** Makes an order and emits CREATED for it. */
  createOrder(order?: NewOrder): { readonly orderId: string; readonly order: Json; readonly event: HubEvent };
  /** Emits an event of any type; without an `orderId`, of an order nobody knows. */
  emit(eventType: string, event?: NewEvent): HubEvent;
  /** All events ever emitted, oldest first. */
  emitted(clientId?: string): readonly HubEvent[];
  /** Events the client has not confirmed, oldest first. */
  pending(clientId?: string): readonly HubEvent[];
  /** Confirmations in the order in which they came; an event confirmed again stands here again. */
  acknowledged(clientId?: string): readonly AcknowledgedEvent[];
  /** Sends a confirmed event again, as hubs do. */
  redeliver(eventId: string): void;
  /** Answers 400 to every acknowledgment with this event in it. */
  refuseAcknowledgment(eventId: string): void;
  /** Changes a store's document; `lastUpdate` becomes the present unless the change sets it. */
  publishMerchant(change: MerchantChange, options?: { readonly clientId?: string }): void;
  /** Every token issued so far is refused from now on. */
  revokeTokens(): void;
  /**
   * The latest requests, oldest first, without their credentials: at most
   * 10,000, and 16 MB as JSON. `onRequest` sees every one.
   */
  readonly requests: readonly JournalEntry[];
  /** Which rules of the spec the client has broken. */
  violations(): readonly Violation[];
  readonly faults: Faults;
  /** A store's document as the hub has it now. */
  merchant(clientId?: string): Json;
  /** Forgets all that has happened, faults and quotas too; the stores are as they were added. */
  reset(): void;
}

export interface ListenOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Whether the control API is served too, under `/_mock/`: for suites in any language. */
  readonly control?: boolean;
}

/**
 * Makes a mock hub: one core from request to response, reached through MSW,
 * through `fetch`, or over HTTP. Share its clock with the client, and virtual
 * time moves both.
 *
 * @throws {ConfigurationError} an option is unknown or wrong.
 */
export function createMockHub(options: MockHubOptions = {}): MockHub {
  const resolved = resolveMockHubOptions(options);
  const core = new HubCore(resolved);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.signal.aborted) throw request.signal.reason;
    return new Promise((resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true });
      core.answer(request).then(resolve, (error: unknown) => {
        reject(error instanceof BrokenConnection ? networkError() : error);
      });
    });
  };
  const mock: MockHub = {
    baseUrl: resolved.baseUrl,
    get credentials() {
      return core.defaultStore.credentials;
    },
    get stores() {
      return core.stores.map(({ credentials }) => credentials);
    },
    handlers: handlersOf(resolved.baseUrl, core),
    fetch,
    listen: ({ port = 0, control = false } = {}) => {
      const answer = (request: Request) => core.answer(request);
      const forbid = (request: Request, reason: string) => core.forbid(request, reason);
      const { clock } = resolved;
      return listen({ answer: control ? controlled(mock, answer) : answer, forbid, clock }, port);
    },
    addStore: (store) => core.addStore(checkStore('addStore', store)).credentials,
    createOrder: (order) => core.createOrder(order),
    emit: (eventType, event) => core.emitEvent(eventType, event),
    emitted: (clientId) => [...core.store(clientId).emitted],
    pending: (clientId) => [...core.store(clientId).pending.values()],
    acknowledged: (clientId) => [...core.store(clientId).acknowledged],
    redeliver: (eventId) => core.redeliver(eventId),
    refuseAcknowledgment: (eventId) => core.refuse(eventId),
    publishMerchant: (change, { clientId } = {}) => core.publishMerchant(change, clientId),
    revokeTokens: () => core.revokeTokens(),
    requests: core.journal.entries,
    violations: () => [...core.violations],
    faults: core.faults,
    merchant: (clientId) => structuredClone(core.store(clientId).merchant),
    reset: () => core.reset(),
  };
  return mock;
}
