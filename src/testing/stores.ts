import type { EndpointTable } from '../hub/host-endpoints.js';
import { isFinalStage } from '../schemas/event-types.js';
import { type HubEvent, MockStore, type NewStore } from './mock-store.js';
import type { ResolvedMockHubOptions } from './options.js';

/** The stores of a mock hub, found by client id, by API key or by one of their events. */
export class Stores {
  readonly #options: ResolvedMockHubOptions;
  readonly #endpoints: EndpointTable;
  readonly #byClientId = new Map<string, MockStore>();

  constructor(options: ResolvedMockHubOptions, endpoints: EndpointTable) {
    this.#options = options;
    this.#endpoints = endpoints;
    for (const store of options.stores) this.add(store);
  }

  get all(): readonly MockStore[] {
    return [...this.#byClientId.values()];
  }

  get default(): MockStore {
    return this.#byClientId.values().next().value as MockStore;
  }

  add(added: NewStore): MockStore {
    const store = new MockStore(added, this.#endpoints, this.#options);
    this.#byClientId.set(added.clientId, store);
    return store;
  }

  /** Makes one store again, or all, as they were added last. */
  reset(clientId: string | undefined): void {
    for (const { added } of this.all) {
      if (clientId === undefined || added.clientId === clientId) this.add(added);
    }
  }

  /** @throws {TypeError} no store has this client id. */
  get(clientId: string | undefined): MockStore {
    if (clientId === undefined) return this.default;
    const store = this.#byClientId.get(clientId);
    if (store) return store;
    throw new TypeError(unknownStore(clientId));
  }

  /** The store that has the order; the first one if none has it. */
  withOrder(orderId: string | undefined): MockStore {
    return this.all.find(({ orders }) => orders.has(orderId as string)) ?? this.default;
  }

  withClientId(clientId: string | undefined): MockStore | undefined {
    return clientId === undefined ? undefined : this.#byClientId.get(clientId);
  }

  /** If two stores have the same key, the first. */
  withApiKey(apiKey: string | null): MockStore | undefined {
    return this.all.find(({ credentials }) => credentials.apiKey === apiKey);
  }

  /** @throws {TypeError} no store has emitted an event with this id. */
  withEvent(eventId: string): { readonly store: MockStore; readonly event: HubEvent } {
    for (const store of this.#byClientId.values()) {
      const [event] = store.withId(eventId);
      if (event) return { store, event };
    }
    throw new TypeError(`the mock hub has not emitted an event with eventId '${eventId}'`);
  }
}

export const unknownStore = (clientId: string) =>
  `the mock hub has no store with clientId '${clientId}'; add it with addStore(), or with POST /_mock/stores`;

/** Orders of all stores that the hub keeps at most, unless more of them have pending events. */
export const MAX_ORDERS = 10_000;
/** How many are forgotten at a time: each search for them reads all orders. */
const SHARE = 1000;

/**
 * Bounds the memory of a hub that runs for weeks. Finished orders are forgotten first, then those whose events were
 * all acknowledged, each time the oldest, with their events. An order with a pending event is never forgotten.
 */
export class ForgottenOrders {
  count = 0;
  #created = 0;

  clear(): void {
    this.count = 0;
    this.#created = 0;
  }

  makeRoom(stores: readonly MockStore[]): void {
    this.#created += 1;
    // After a search, no other one before as many orders have been created as it makes room for.
    if (this.#created <= MAX_ORDERS) return;
    this.#created -= SHARE;
    const candidates = stores.flatMap((store) => {
      const pending = new Set([...store.pending].map(({ orderId }) => orderId));
      return [...store.orders]
        .filter(([orderId]) => !pending.has(orderId))
        .map(([orderId, { number, state }]) => ({
          store,
          orderId,
          number,
          isOpen: !isFinalStage(state.stage),
        }));
    });
    candidates.sort((one, other) => Number(one.isOpen) - Number(other.isOpen) || one.number - other.number);
    const excess = stores.reduce((sum, { orders }) => sum + orders.size, 0) - (MAX_ORDERS - SHARE);
    const forgotten = new Map<MockStore, Set<string>>();
    for (const { store, orderId } of candidates.slice(0, Math.max(0, excess))) {
      const ofStore = forgotten.get(store) ?? new Set();
      forgotten.set(store, ofStore.add(orderId));
      this.count += 1;
    }
    for (const [store, orderIds] of forgotten) store.forget(orderIds);
  }
}
