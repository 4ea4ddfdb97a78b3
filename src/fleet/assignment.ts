import type { Store } from '../engine/store.js';
import type { Shard } from './fleet-options.js';
import { shardOf } from './shards.js';

/** Which stores this process polls: all, those of one shard, or those of the shards that it is assigned at the moment. */
export class Assignment {
  readonly #own: Shard;
  /** How many shards there are. */
  #count = 1;
  /** The shards of this process; whether each may be polled at this moment. */
  readonly #assigned = new Map<number, () => boolean>();
  /** The stores of each shard, so that nobody has to look through all of them. */
  readonly #stores = new Map<number, Set<Store>>();

  /** @param shard - undefined: all stores. */
  constructor(shard: Shard | undefined) {
    this.#own = shard ?? { index: 0, of: 1 };
    this.reset();
  }

  /** Goes back to the option `shard`: no queue assigns shards any more. */
  reset(): void {
    this.divide(this.#own.of);
    this.assign(this.#own.index, () => true);
  }

  /** A store has come. */
  add(store: Store): void {
    store.shard = shardOf(store.account.storeId as string, this.#count);
    const others = this.#stores.get(store.shard);
    if (others) others.add(store);
    else this.#stores.set(store.shard, new Set([store]));
  }

  remove(store: Store): void {
    this.#stores.get(store.shard)?.delete(store);
  }

  storesOf(shard: number): Store[] {
    return [...(this.#stores.get(shard) ?? [])];
  }

  /** Whether the store is this process's. */
  has({ shard }: Store): boolean {
    return this.#assigned.has(shard);
  }

  /** Whether it may be polled at this moment. */
  mayPoll({ shard }: Store): boolean {
    return this.#assigned.get(shard)?.() ?? false;
  }

  /** Divides the stores into shards, of which this process is assigned none yet. */
  divide(shards: number): void {
    const all = [...this.#stores.values()].flatMap((stores) => [...stores]);
    this.#count = shards;
    this.#assigned.clear();
    this.#stores.clear();
    for (const store of all) this.add(store);
  }

  assign(shard: number, mayPoll: () => boolean): void {
    this.#assigned.set(shard, mayPoll);
  }

  unassign(shard: number): void {
    this.#assigned.delete(shard);
  }
}
