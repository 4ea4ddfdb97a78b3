import { AsyncLocalStorage } from 'node:async_hooks';
import type { OrderEvent } from '../schemas/event.js';
import { keyOf } from './event-key.js';
import type { Run } from './run.js';

/** One for the process: Node pays for each storage at every promise of the application. */
const currentRun = new AsyncLocalStorage<Run>();

/** Calls `work` so that `callingRun` knows the run inside of it, also after an await. */
export function inRun<T>(run: Run, work: () => T): T {
  return currentRun.run(run, work);
}

/** The run whose listener is calling, if that listener has not settled. */
export function callingRun(): Run | undefined {
  const run = currentRun.getStore();
  return run?.isOver ? undefined : run;
}

/**
 * Runs under way, of all pollers of one client: a run that timed out belongs
 * to the client, and no later poller dispatches its event again before it has
 * settled, nor afterwards if it was handled.
 */
export class Runs {
  readonly #running = new Map<string, { readonly run: Run; readonly settled: Promise<void> }>();
  readonly #orders = new Map<string, number>();
  /** Keys of the events that were handled since the present poll was partitioned. */
  readonly #handled = new Set<string>();
  /** Keys of handled events whose marks the state could not take; the only memory of these until then. */
  readonly unwritten = new Set<string>();
  /** Runs that a stop gave up, and released the lease all the same. */
  readonly #disowned = new WeakSet<Run>();

  get size(): number {
    return this.#running.size;
  }

  has(event: OrderEvent): boolean {
    return this.#running.has(keyOf(event));
  }

  hasOrder(orderId: string): boolean {
    return this.#orders.has(orderId);
  }

  /** Adds a run, until `settled` resolves. */
  add(run: Run, settled: Promise<void>): void {
    const key = keyOf(run.event);
    this.#running.set(key, { run, settled });
    this.#count(run.event.orderId, 1);
  }

  remove(run: Run): void {
    const key = keyOf(run.event);
    if (this.#running.get(key)?.run === run) this.#running.delete(key);
    this.#count(run.event.orderId, -1);
  }

  /** The runs of one dispatcher. */
  of(owner: object): { readonly run: Run; readonly settled: Promise<void> }[] {
    return [...this.#running.values()].filter(({ run }) => run.owner === owner);
  }

  /** Those of which nobody has given up, whatever poller began them. */
  owned(): { readonly run: Run; readonly settled: Promise<void> }[] {
    return [...this.#running.values()].filter(({ run }) => !this.#disowned.has(run));
  }

  disown(owner: object): void {
    for (const { run } of this.of(owner)) this.#disowned.add(run);
  }

  /** A poll is about to be partitioned: what is handled from now on, its marks may not show. */
  beginPartition(): void {
    this.#handled.clear();
  }

  noteHandled(event: OrderEvent): void {
    this.#handled.add(keyOf(event));
  }

  wasJustHandled(event: OrderEvent): boolean {
    return this.#handled.has(keyOf(event));
  }

  #count(orderId: string, by: number): void {
    const count = (this.#orders.get(orderId) ?? 0) + by;
    if (count > 0) this.#orders.set(orderId, count);
    else this.#orders.delete(orderId);
  }
}
