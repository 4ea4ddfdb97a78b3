import { AsyncLocalStorage } from 'node:async_hooks';
import type { OrderEvent } from '../schemas/event.js';
import { keyOf } from './event-key.js';
import type { Run, RunOwner } from './run.js';

/** A run that is under way; `settled` resolves when it ends, however it ends. */
export interface RunningRun {
  readonly run: Run;
  readonly settled: Promise<void>;
}

/** One for the process: Node makes every promise of the application slower for each storage. */
const currentRun = new AsyncLocalStorage<Run>();

/** Calls `work` so that `callingRun` finds the run inside it, also after an await. */
export function inRun<T>(run: Run, work: () => T): T {
  return currentRun.run(run, work);
}

/** The run whose listener is calling, if the run is not over. */
export function callingRun(): Run | undefined {
  const run = currentRun.getStore();
  return run?.isOver ? undefined : run;
}

/**
 * Runs under way, of all pollers of one client. A run that timed out belongs
 * to the client: no later poller dispatches its event before it has settled,
 * nor afterwards if the event was handled.
 */
export class Runs {
  readonly #running = new Map<string, RunningRun>();
  /** How many runs each order has. */
  readonly #orders = new Map<string, number>();
  readonly #recentlyHandled = new Set<string>();
  /** Runs that a stop did not wait for; it released the lease all the same. */
  readonly #abandoned = new WeakSet<Run>();
  /** Keys of handled events whose mark the state did not take; until it does, only this set knows. */
  readonly unwritten = new Set<string>();

  get size(): number {
    return this.#running.size;
  }

  has(event: OrderEvent): boolean {
    return this.#running.has(keyOf(event));
  }

  hasOrder(orderId: string): boolean {
    return this.#orders.has(orderId);
  }

  /** Adds a run, which is under way until `settled` resolves. */
  add(run: Run, settled: Promise<void>): void {
    this.#running.set(keyOf(run.event), { run, settled });
    this.#count(run.event.orderId, 1);
  }

  remove(run: Run): void {
    const key = keyOf(run.event);
    if (this.#running.get(key)?.run === run) this.#running.delete(key);
    this.#count(run.event.orderId, -1);
  }

  of(owner: RunOwner): RunningRun[] {
    return [...this.#running.values()].filter(({ run }) => run.owner === owner);
  }

  /** The runs, of any poller, during which no other process may have the lease. */
  needingLease(): RunningRun[] {
    return [...this.#running.values()].filter(({ run }) => !this.#abandoned.has(run));
  }

  abandon(owner: RunOwner): void {
    for (const { run } of this.of(owner)) this.#abandoned.add(run);
  }

  /** Called before the marks of a poll are read: they may miss what is handled from then on. */
  clearRecentlyHandled(): void {
    this.#recentlyHandled.clear();
  }

  addRecentlyHandled(event: OrderEvent): void {
    this.#recentlyHandled.add(keyOf(event));
  }

  /** Whether the event was handled since the marks of the last poll were read. */
  wasRecentlyHandled(event: OrderEvent): boolean {
    return this.#recentlyHandled.has(keyOf(event));
  }

  #count(orderId: string, by: number): void {
    const count = (this.#orders.get(orderId) ?? 0) + by;
    if (count > 0) this.#orders.set(orderId, count);
    else this.#orders.delete(orderId);
  }
}
