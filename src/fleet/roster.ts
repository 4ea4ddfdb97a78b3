import { Store } from '../engine/store.js';
import { ConfigurationError } from '../errors/index.js';
import type { Services } from '../services/services.js';
import {
  checkStore,
  type FleetStore,
  isSameAccount,
  isStoreList,
  type StoreList,
  type StoreSource,
} from './fleet-store.js';

/** As in `client.ts`, but fewer: a fleet has thousands of stores. These take a few kilobytes each. */
const REMEMBERED_IDS = 48;

interface RosterOptions {
  readonly services: Services;
  readonly source: StoreSource;
  /** A store has come. */
  readonly onAdded: (store: Store) => void;
  /** A store has gone, or its credentials have changed; resolves when its work is over. */
  readonly onRemoved: (store: Store) => Promise<unknown>;
  /** A store of the source cannot be used. The others are not affected. */
  readonly onInvalid: (error: unknown) => void;
}

/** Which stores are in the fleet. */
export class Roster {
  readonly #options: RosterOptions;
  readonly #stores = new Map<string, Store>();
  /** Those that `add` has brought: they stay, whatever the source lists. */
  readonly #added = new Set<Store>();
  /** Those that are leaving: polling must not begin again. */
  readonly #leaving = new Set<Store>();
  /** Which store has a client id: two stores with one would share its quota and its lease. */
  readonly #storeIds = new Map<string, string>();
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #setLoaded = () => {};
  /** Resolves when the source was read for the first time. */
  readonly loaded = new Promise<void>((resolve) => {
    this.#setLoaded = resolve;
  });
  #reads = 0;
  /** The number of the last read that was taken over. */
  #taken = 0;
  /** Stores that `remove` has taken out, although the source lists them. */
  readonly #removed = new Set<string>();
  /** By client id: removed stores whose listeners ran on. A store that comes back is the same record, so that no event runs twice at a time. */
  readonly #left = new Map<string, Store>();

  /** Takes the stores of an array at once. @throws {ConfigurationError} one of them cannot be used. */
  constructor(options: RosterOptions) {
    this.#options = options;
    const { source } = options;
    if (!isSyncIterable(source)) return;
    let index = 0;
    for (const given of source) {
      this.#insert(checkStore(`stores[${index}]`, given), true);
      index += 1;
    }
    this.#isLoaded = true;
  }

  /** Whether the store is in the fleet, and not on its way out. */
  has(store: Store): boolean {
    return this.#stores.get(store.account.storeId as string) === store && !this.#leaving.has(store);
  }

  /** All stores. */
  values(): Iterable<Store> {
    return this.#stores.values();
  }

  /** The store, if there is one. */
  find(storeId: string): Store | undefined {
    return this.#stores.get(storeId);
  }

  /** @throws {ConfigurationError} there is no such store. */
  get(storeId: string): Store {
    const store = this.#stores.get(storeId);
    if (store) return store;
    const remedy = this.#isLoaded
      ? 'add it with fleet.add(…)'
      : 'the stores are read by start() or runOnce()';
    throw new ConfigurationError('storeId', `'${storeId}' is not a store of this fleet; ${remedy}`);
  }

  /** Reads the source, unless it was read before. @throws what reading it throws. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    this.#loading ??= this.refresh().finally(() => {
      this.#loading = undefined;
    });
    // A later read may be faster, while the first one hangs.
    await Promise.race([this.#loading, this.loaded]);
  }

  /** Whether reading the source again can return something else. A generator returns nothing the second time. */
  get isRefreshable(): boolean {
    const { source } = this.#options;
    if (typeof source === 'function') return true;
    return iteratorOf(source) !== (source as unknown);
  }

  /** Reads the source: adds the stores that have come, and removes those that have gone. @throws what reading it throws. */
  async refresh(): Promise<void> {
    const { source, onInvalid } = this.#options;
    const stores = new Map<string, FleetStore>();
    /** Listed, but not as they should be: they stay as they are. */
    const invalid = new Set<unknown>();
    this.#reads += 1;
    const read = this.#reads;
    let index = 0;
    for await (const given of listOf(typeof source === 'function' ? await source() : source)) {
      try {
        const store = checkStore(`stores[${index}]`, given);
        if (stores.has(store.storeId))
          throw new ConfigurationError('storeId', `'${store.storeId}' is listed twice; the first one counts`);
        stores.set(store.storeId, store);
      } catch (error) {
        const storeId = (given as Partial<FleetStore> | null)?.storeId;
        if (!stores.has(storeId as string)) invalid.add(storeId);
        onInvalid(error);
      }
      index += 1;
    }
    // A later one was faster. One that has only begun may fail, or hang.
    if (read < this.#taken) return;
    this.#taken = read;
    this.#isLoaded = true;
    this.#setLoaded();
    const gone = [...this.#stores].filter(([storeId, known]) => {
      if (this.#added.has(known)) return false;
      const store = stores.get(storeId);
      return store ? !isSameAccount(store, known.account) : !invalid.has(storeId);
    });
    const deleted = Promise.all(gone.map(([, store]) => this.#delete(store)));
    const isTaken = ({ storeId, clientId }: FleetStore) =>
      this.#stores.has(storeId) || this.#storeIds.has(clientId);
    // A listener of a store that goes may take long; those that come do not wait for it.
    for (const store of stores.values()) {
      const known = this.#stores.get(store.storeId);
      if (known && !this.#leaving.has(known) && !this.#added.has(known)) {
        known.account.update(credentialsOf(store));
        known.merchants = store.merchants;
      } else if (!isTaken(store)) this.#tryInsert(store);
    }
    await deleted;
    if (read !== this.#taken) return;
    for (const store of stores.values()) if (!this.#stores.has(store.storeId)) this.#tryInsert(store);
  }

  /** @throws {ConfigurationError} the store is invalid, or its id or client id is taken. */
  add(given: FleetStore): void {
    this.#insert(checkStore('store', given), false);
  }

  /** Removed stores whose listeners may still run. */
  get left(): Iterable<Store> {
    return this.#left.values();
  }

  /** @throws {ConfigurationError} there is no such store. */
  async remove(storeId: string): Promise<void> {
    const store = this.get(storeId);
    this.#removed.add(storeId);
    await this.#delete(store);
  }

  #tryInsert(store: FleetStore): void {
    if (this.#removed.has(store.storeId)) return;
    try {
      this.#insert(store, true);
    } catch (error) {
      this.#options.onInvalid(error);
    }
  }

  #insert(given: FleetStore, isFromSource: boolean): void {
    const { storeId, clientId } = given;
    if (this.#stores.has(storeId)) {
      throw new ConfigurationError(
        'storeId',
        `'${storeId}' is already in this fleet; give each store its own, and await remove() before adding it again`,
      );
    }
    const other = this.#storeIds.get(clientId);
    if (other !== undefined) {
      throw new ConfigurationError(
        'clientId',
        `of '${storeId}' is also that of '${other}'; the hub counts the requests of one client id together, so poll it as one store`,
      );
    }
    const account = this.#options.services.accountOf(credentialsOf(given), storeId);
    const store = this.#left.get(clientId) ?? new Store(account, REMEMBERED_IDS);
    this.#left.delete(clientId);
    // What was made for its former account is made again.
    Object.assign(store, { account, hub: undefined, acknowledgments: undefined });
    store.merchants = given.merchants;
    if (!isFromSource) this.#added.add(store);
    this.#stores.set(storeId, store);
    this.#storeIds.set(clientId, storeId);
    this.#options.onAdded(store);
  }

  /** The store is out at once; its ids are free when its work is over. */
  async #delete(store: Store): Promise<void> {
    const { storeId = '', clientId = '' } = store.account;
    this.#leaving.add(store);
    await this.#options.onRemoved(store);
    if (!this.#leaving.delete(store)) return;
    if (store.runs) this.#left.set(clientId, store);
    this.#added.delete(store);
    this.#stores.delete(storeId);
    this.#storeIds.delete(clientId);
  }
}

function credentialsOf({ clientId, clientSecret, apiKey }: FleetStore) {
  return { clientId, clientSecret, apiKey };
}

function isSyncIterable(source: StoreSource): source is Iterable<FleetStore> {
  return typeof source !== 'function' && Symbol.iterator in source;
}

/** @throws {ConfigurationError} the source has returned something else. */
function listOf(list: StoreList): StoreList {
  if (isStoreList(list)) return list;
  throw new ConfigurationError(
    'stores',
    'its function must return an array or another (async) iterable of stores',
  );
}

function iteratorOf(source: StoreList): unknown {
  return isSyncIterable(source) ? source[Symbol.iterator]() : source[Symbol.asyncIterator]();
}
