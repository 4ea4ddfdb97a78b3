import { ConfigurationError } from '../errors.js';
import {
  checkStore,
  type FleetStore,
  isSameAccount,
  type StoreList,
  type StoreSource,
} from './fleet-store.js';
import { StoreRecord } from './store-record.js';

export interface RosterOptions {
  readonly source: StoreSource;
  /** A store has come. */
  readonly onAdded: (record: StoreRecord) => void;
  /** A store has gone, or its credentials have changed; resolves when its work is over. */
  readonly onRemoved: (record: StoreRecord) => Promise<unknown>;
  /** A store of the source cannot be used. The others are not affected. */
  readonly onInvalid: (error: unknown) => void;
}

/** Which stores are in the fleet. */
export class Roster {
  readonly #options: RosterOptions;
  readonly #records = new Map<string, StoreRecord>();
  /** Which store has a client id: two stores with one would share its quota and its lease. */
  readonly #storeIds = new Map<string, string>();
  #loading: Promise<void> | undefined;
  #isLoaded = false;

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

  get size(): number {
    return this.#records.size;
  }

  /** All stores. */
  values(): Iterable<StoreRecord> {
    return this.#records.values();
  }

  /** @throws {ConfigurationError} there is no such store. */
  get(storeId: string): StoreRecord {
    const record = this.#records.get(storeId);
    if (record) return record;
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
    await this.#loading;
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
    let index = 0;
    for await (const given of typeof source === 'function' ? await source() : source) {
      try {
        const store = checkStore(`stores[${index}]`, given);
        stores.set(store.storeId, store);
      } catch (error) {
        onInvalid(error);
      }
      index += 1;
    }
    this.#isLoaded = true;
    const gone = [...this.#records.values()].filter((record) => {
      const store = stores.get(record.store.storeId);
      return store ? !isSameAccount(store, record.store) : record.isFromSource;
    });
    await Promise.all(gone.map((record) => this.#delete(record)));
    for (const store of stores.values()) {
      const known = this.#records.get(store.storeId);
      if (known) known.store = store;
      else this.#tryInsert(store);
    }
  }

  /** @throws {ConfigurationError} the store is invalid, or its id or client id is taken. */
  add(given: FleetStore): void {
    this.#insert(checkStore('store', given), false);
  }

  /** @throws {ConfigurationError} there is no such store. */
  async remove(storeId: string): Promise<void> {
    await this.#delete(this.get(storeId));
  }

  #tryInsert(store: FleetStore): void {
    try {
      this.#insert(store, true);
    } catch (error) {
      this.#options.onInvalid(error);
    }
  }

  #insert(store: FleetStore, isFromSource: boolean): void {
    const { storeId, clientId } = store;
    if (this.#records.has(storeId)) {
      throw new ConfigurationError(
        'storeId',
        `'${storeId}' is already in this fleet; give each store its own`,
      );
    }
    const other = this.#storeIds.get(clientId);
    if (other !== undefined) {
      throw new ConfigurationError(
        'clientId',
        `of '${storeId}' is also that of '${other}'; the hub counts the requests of one client id together, so poll it as one store`,
      );
    }
    const record = new StoreRecord(store, isFromSource);
    this.#records.set(storeId, record);
    this.#storeIds.set(clientId, storeId);
    this.#options.onAdded(record);
  }

  /** The store is out at once; its ids are free when its work is over. */
  async #delete(record: StoreRecord): Promise<void> {
    const { storeId, clientId } = record.store;
    record.isRemoved = true;
    await this.#options.onRemoved(record);
    if (this.#records.get(storeId) !== record) return;
    this.#records.delete(storeId);
    this.#storeIds.delete(clientId);
  }
}

function isSyncIterable(source: StoreSource): source is Iterable<FleetStore> {
  return typeof source !== 'function' && Symbol.iterator in source;
}

function iteratorOf(source: StoreList): unknown {
  return isSyncIterable(source) ? source[Symbol.iterator]() : source[Symbol.asyncIterator]();
}
