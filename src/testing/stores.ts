import { type EndpointTable, endpointsOf } from '../host-endpoints.js';
import { merchantFixture } from './fixtures.js';
import { type HubEvent, MockStore, type NewStore } from './mock-store.js';
import type { ResolvedMockHubOptions } from './options.js';
import { Unanswered } from './unanswered.js';

/** The stores of a mock hub, found by client id, by API key or by one of their events. */
export class Stores {
  readonly #options: ResolvedMockHubOptions;
  readonly #endpoints: EndpointTable;
  /** Every store as it was added; `reset` creates them again. */
  readonly #added: NewStore[] = [];
  readonly #byClientId = new Map<string, MockStore>();
  /** If two stores have the same key, the first. */
  readonly #byApiKey = new Map<string, MockStore>();

  constructor(options: ResolvedMockHubOptions) {
    this.#options = options;
    this.#endpoints = endpointsOf(options.profile);
    for (const store of options.stores) this.add(store);
  }

  get all(): readonly MockStore[] {
    return [...this.#byClientId.values()];
  }

  get default(): MockStore {
    return this.#byClientId.values().next().value as MockStore;
  }

  add(added: NewStore): MockStore {
    this.#added.push(added);
    return this.#create(added);
  }

  /** Creates all stores again, as they were added. */
  reset(): void {
    this.#byClientId.clear();
    this.#byApiKey.clear();
    for (const store of this.#added) this.#create(store);
  }

  /** @throws {TypeError} no store has this client id. */
  get(clientId: string | undefined): MockStore {
    if (clientId === undefined) return this.default;
    const store = this.#byClientId.get(clientId);
    if (store) return store;
    throw new TypeError(`the mock hub has no store with clientId '${clientId}'; add it with addStore()`);
  }

  withClientId(clientId: string): MockStore | undefined {
    return this.#byClientId.get(clientId);
  }

  withApiKey(apiKey: string): MockStore | undefined {
    return this.#byApiKey.get(apiKey);
  }

  /** @throws {TypeError} no store has emitted an event with this id. */
  withEvent(eventId: string): { readonly store: MockStore; readonly event: HubEvent } {
    for (const store of this.#byClientId.values()) {
      const event = store.find(eventId);
      if (event) return { store, event };
    }
    throw new TypeError(`the mock hub has not emitted an event with eventId '${eventId}'`);
  }

  #create({ clientId, clientSecret, apiKey, merchant }: NewStore): MockStore {
    const { clock, windows, unansweredAfterMs } = this.#options;
    const document = merchant
      ? structuredClone(merchant)
      : merchantFixture(new Date(clock.now()).toISOString());
    const credentials = { clientId, clientSecret, apiKey };
    const unanswered = new Unanswered(clock, unansweredAfterMs);
    const store = new MockStore(credentials, document, this.#endpoints, windows, unanswered);
    const isReplacement = this.#byClientId.has(clientId);
    this.#byClientId.set(clientId, store);
    // Another store may have the API key of the one that was replaced.
    if (isReplacement) this.#byApiKey.clear();
    for (const each of isReplacement ? this.#byClientId.values() : [store]) {
      const { apiKey: key } = each.credentials;
      if (!this.#byApiKey.has(key)) this.#byApiKey.set(key, each);
    }
    return store;
  }
}
