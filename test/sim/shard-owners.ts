import type { HubFleet } from 'opendelivery-client';
import type { Cluster } from './cluster.js';

type ShardPolling = ReturnType<HubFleet['startShards']>;

/** The longest wait for listeners when a shard is handed over, in ms. */
const DRAIN_MS = 30_000;

/** Hands shards out to processes that come and go, as a queue does: evenly, and each to one at a time. */
export class ShardOwners {
  readonly #cluster: Cluster;
  readonly #shards: number;
  readonly #polling = new Map<number, ShardPolling>();
  /** The process of each shard. */
  readonly #owners: (number | undefined)[];

  constructor(cluster: Cluster, shards: number) {
    this.#cluster = cluster;
    this.#shards = shards;
    this.#owners = Array.from({ length: shards }, () => undefined);
  }

  /** The process begins, and gets its share. */
  async join(index: number): Promise<void> {
    const running = this.#cluster.newFleet(this.#cluster.stores);
    this.#cluster.running[index] = running;
    this.#polling.set(index, await running.fleet.startShards(this.#shards));
    await this.#balance();
  }

  /** The process hands its shards over and ends. */
  async leave(index: number): Promise<void> {
    const polling = this.#polling.get(index);
    this.#polling.delete(index);
    await Promise.all(
      this.#of(index).map(async (shard) => {
        await polling?.unassign(shard, DRAIN_MS);
        this.#give(shard, this.#least());
      }),
    );
    await this.#cluster.stop(index);
  }

  async #balance(): Promise<void> {
    const share = Math.ceil(this.#shards / this.#polling.size);
    for (const shard of this.#of(undefined)) this.#give(shard, this.#least());
    for (const [index, polling] of this.#polling) {
      for (const shard of this.#of(index).slice(share)) {
        await polling.unassign(shard, DRAIN_MS);
        this.#give(shard, this.#least());
      }
    }
  }

  #of(index: number | undefined): number[] {
    return [...this.#owners.keys()].filter((shard) => this.#owners[shard] === index);
  }

  #least(): number {
    const bySize = [...this.#polling.keys()].sort(
      (one, other) => this.#of(one).length - this.#of(other).length,
    );
    return bySize[0] as number;
  }

  #give(shard: number, index: number): void {
    this.#owners[shard] = index;
    this.#polling.get(index)?.assign(shard, () => true);
  }
}
