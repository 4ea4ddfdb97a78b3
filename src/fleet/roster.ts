import { ConfigurationError } from '../errors.js';
import type { Runs } from '../events/runs.js';
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
  #reads = 0;
  /** Stores that `remove` has taken out, although the source lists them. */
  readonly #removed = new Set<string>();
  /** By client id: what listeners of removed stores still do. No later poller runs the same events at the same time. */
  readonly #leftRuns = new Map<string, Runs>();

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

  /** The store's record, if there is one. */
  find(storeId: string): StoreRecord | undefined {
    return this.#records.get(storeId);
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
    /** Listed, but not as they should be: they stay as they are. */
    const invalid = new Set<unknown>();
    this.#reads += 1;
    const read = this.#reads;
    let index = 0;
    for await (const given of listOf(typeof source === 'function' ? await source() : source)) {
      try {
        const store = checkStore(`stores[${index}]`, given);
        stores.set(store.storeId, store);
      } catch (error) {
        invalid.add((given as Partial<FleetStore> | null)?.storeId);
        onInvalid(error);
      }
      index += 1;
    }
    // A later one was faster.
    if (read !== this.#reads) return;
    this.#isLoaded = true;
    const gone = [...this.#records.values()].filter((record) => {
      if (!record.isFromSource || invalid.has(record.store.storeId)) return false;
      const store = stores.get(record.store.storeId);
      return !store || !isSameAccount(store, record.store);
    });
    const deleted = Promise.all(gone.map((record) => this.#delete(record)));
    const isTaken = ({ storeId, clientId }: FleetStore) =>
      this.#records.has(storeId) || this.#storeIds.has(clientId);
    // A listener of a store that goes may take long; those that come do not wait for it.
    for (const store of stores.values()) {
      const known = this.#records.get(store.storeId);
      if (known && !known.isRemoved && known.isFromSource) known.store = store;
      else if (!isTaken(store)) this.#tryInsert(store);
    }
    await deleted;
    for (const store of stores.values()) if (!this.#records.has(store.storeId)) this.#tryInsert(store);
  }

  /** @throws {ConfigurationError} the store is invalid, or its id or client id is taken. */
  add(given: FleetStore): void {
    this.#insert(checkStore('store', given), false);
  }

  /** @throws {ConfigurationError} there is no such store. */
  async remove(storeId: string): Promise<void> {
    const record = this.get(storeId);
    this.#removed.add(storeId);
    await this.#delete(record);
  }

  #tryInsert(store: FleetStore): void {
    if (this.#removed.has(store.storeId)) return;
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
    record.runs = this.#leftRuns.get(clientId);
    this.#leftRuns.delete(clientId);
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
    const runs = record.seat?.wiring.pollerParts.runs ?? record.runs;
    if (runs && runs.size > 0) this.#leftRuns.set(clientId, runs);
    this.#records.delete(storeId);
    this.#storeIds.delete(clientId);
  }
}

function isSyncIterable(source: StoreSource): source is Iterable<FleetStore> {
  return typeof source !== 'function' && Symbol.iterator in source;
}

/** @throws {ConfigurationError} the source has returned something else; a string, for example, is iterable too. */
function listOf(list: StoreList): StoreList {
  const isList =
    typeof list === 'object' && list !== null && (Symbol.iterator in list || Symbol.asyncIterator in list);
  if (isList) return list;
  throw new ConfigurationError(
    'stores',
    'its function must return an array or another (async) iterable of stores',
  );
}

function iteratorOf(source: StoreList): unknown {
  return isSyncIterable(source) ? source[Symbol.iterator]() : source[Symbol.asyncIterator]();
}
