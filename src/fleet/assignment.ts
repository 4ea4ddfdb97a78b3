import type { Shard } from './fleet-options.js';
import { shardOf } from './places.js';

/** The shards that a worker of a queue holds. */
export interface HeldShards {
  /** Aborts when the fleet is stopped. */
  readonly signal: AbortSignal;
  /** Reads the stores, unless that was done. */
  readonly load: () => Promise<void>;
  /** Emits `error`, about no store. */
  readonly report: (error: unknown) => void;
  /** Tells the state how long each store's slots are taken, because it may have lost its data. */
  readonly repeatWaits: () => Promise<void>;
  /** Polls the shard's stores from now on. `mayPoll` is asked before each poll. `since`: until when another process did, in epoch ms. */
  readonly hold: (shard: number, mayPoll: () => boolean, since?: number) => void;
  /** Sends no more polls for the shard. Resolves when the listeners of its stores have ended, or `timeoutMs` is over. */
  readonly release: (shard: number, timeoutMs: number) => Promise<void>;
}

/** Which stores this process polls: all, those of one shard, or those of the shards that it holds at the moment. */
export class Assignment {
  #shards: number;
  readonly #held = new Map<number, () => boolean>();

  /** @param shard - undefined: all stores. */
  constructor(shard: Shard | undefined) {
    this.#shards = shard?.of ?? 1;
    this.#held.set(shard?.index ?? 0, () => true);
  }

  /** Whether the store is this process's. */
  has(storeId: string): boolean {
    return this.#held.has(shardOf(storeId, this.#shards));
  }

  /** Whether it may be polled at this moment. */
  mayPoll(storeId: string): boolean {
    return this.#held.get(shardOf(storeId, this.#shards))?.() ?? false;
  }

  /** From now on, the stores are those of the shards that are held. */
  holdNone(shards: number): void {
    this.#shards = shards;
    this.#held.clear();
  }

  hold(shard: number, mayPoll: () => boolean): void {
    this.#held.set(shard, mayPoll);
  }

  release(shard: number): void {
    this.#held.delete(shard);
  }
}
