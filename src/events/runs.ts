import { BoundedMap } from './bounded-map.js';
import type { Run, RunOwner } from './run.js';
import { beginRun, endRun } from './running.js';

/** More events than are handled while marks are being read. */
const MAX_RECENTLY_HANDLED = 1000;

/** A run that is under way; `settled` resolves when it ends, however it ends. */
export interface RunningRun {
  readonly run: Run;
  readonly settled: Promise<unknown>;
  /** Whether a stop did not wait for it; that stop has released the lease all the same. */
  isAbandoned: boolean;
}

/**
 * Asynchronous runs under way, of all pollers of one client. A run that timed
 * out belongs to the client: no later poller dispatches its event before it has
 * settled, nor afterwards if the event was handled.
 */
export class Runs {
  /** By the key of the event. */
  readonly #running = new Map<string, RunningRun>();
  /** How many runs each order has. */
  readonly #orders = new Map<string, number>();
  /** Created when there is one. */
  #recentlyHandled: BoundedMap<string, true> | undefined;
  #reads = 0;

  get size(): number {
    return this.#running.size;
  }

  has(key: string): boolean {
    // V8 hashes the key even if the map is empty.
    return this.#running.size > 0 && this.#running.has(key);
  }

  hasOrder(orderId: string): boolean {
    return this.#orders.size > 0 && this.#orders.has(orderId);
  }

  /** Adds a run, which is under way until `settled` resolves. */
  add(run: Run, settled: Promise<unknown>): void {
    this.#running.set(run.entry.key, { run, settled, isAbandoned: false });
    this.#count(run.entry.event.orderId, 1);
    beginRun();
  }

  remove(run: Run): void {
    const { key, event } = run.entry;
    if (this.#running.get(key)?.run === run) this.#running.delete(key);
    this.#count(event.orderId, -1);
    endRun();
  }

  of(owner: RunOwner): RunningRun[] {
    return [...this.#running.values()].filter(({ run }) => run.owner === owner);
  }

  /** The runs, of any poller, during which no other process may have the lease. */
  needingLease(): RunningRun[] {
    return [...this.#running.values()].filter(({ isAbandoned }) => !isAbandoned);
  }

  abandon(owner: RunOwner): void {
    for (const running of this.of(owner)) running.isAbandoned = true;
  }

  /** The marks of events are being read: they may miss what is handled before `endRead`. */
  beginRead(): void {
    this.#reads += 1;
  }

  endRead(): void {
    this.#reads -= 1;
  }

  /** An event is handled. It is remembered if marks that are being read, or were read, may miss it. */
  addHandled(key: string, isLate: boolean): void {
    if (!isLate && this.#reads === 0) return;
    this.#recentlyHandled ??= new BoundedMap(MAX_RECENTLY_HANDLED);
    this.#recentlyHandled.set(key, true);
  }

  /** Whether the event was handled, although the marks that were read may not say so. */
  wasRecentlyHandled(key: string): boolean {
    return this.#recentlyHandled?.get(key) ?? false;
  }

  #count(orderId: string, by: number): void {
    const count = (this.#orders.get(orderId) ?? 0) + by;
    if (count > 0) this.#orders.set(orderId, count);
    else this.#orders.delete(orderId);
  }
}
