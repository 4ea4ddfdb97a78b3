import type { Run, RunOwner } from './run.js';
import { beginRun, endRun } from './running.js';

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
  readonly #recentlyHandled = new Set<string>();

  get size(): number {
    return this.#running.size;
  }

  has(key: string): boolean {
    return this.#running.has(key);
  }

  hasOrder(orderId: string): boolean {
    return this.#orders.has(orderId);
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

  /** Called before the marks of a poll are read: they may miss what late runs handle from then on. */
  clearRecentlyHandled(): void {
    if (this.#recentlyHandled.size > 0) this.#recentlyHandled.clear();
  }

  /** A late run has handled its event. */
  addRecentlyHandled(key: string): void {
    this.#recentlyHandled.add(key);
  }

  /** Whether a late run has handled the event since the marks of the last poll were read. */
  wasRecentlyHandled(key: string): boolean {
    return this.#recentlyHandled.has(key);
  }

  #count(orderId: string, by: number): void {
    const count = (this.#orders.get(orderId) ?? 0) + by;
    if (count > 0) this.#orders.set(orderId, count);
    else this.#orders.delete(orderId);
  }
}
