import type { OrderEvent } from '../schemas/event.js';
import type { EventRunner, NextStep } from './event-runner.js';
import type { Ledger } from './ledger.js';
import type { Listeners } from './listeners.js';
import { type OrderQueue, queuesByOrder } from './order-queues.js';
import type { Outcomes } from './outcomes.js';
import type { Runs } from './runs.js';
import type { StoreLease } from './store-lease.js';

export interface DispatcherOptions {
  readonly listeners: Listeners;
  readonly ledger: Ledger;
  readonly outcomes: Outcomes;
  readonly runner: EventRunner;
  readonly runs: Runs;
  readonly lease: Pick<StoreLease, 'isValid' | 'fence'>;
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly ordering: 'per-order' | 'none';
}

/** Taken when a poll is sent: the poll's events may be dispatched until one of the two changes. */
export interface Generation {
  /** How often `stop` was called. */
  readonly stops: number;
  readonly fence: number;
}

/**
 * Decides which event goes to its listeners next: the events of one order
 * strictly one after another, several orders in parallel.
 *
 * An event whose listeners time out blocks only its own order; it is not
 * dispatched again before that run has settled.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #stops = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get generation(): Generation {
    return { stops: this.#stops, fence: this.#options.lease.fence };
  }

  /** Dispatches no more events of the generations so far. */
  stop(): void {
    this.#stops += 1;
  }

  /** The events whose attempt is counted before `dispatch`, which counts those of the suspects itself. */
  countable(events: readonly OrderEvent[]): OrderEvent[] {
    return events.filter((event) => this.#isCallable(event) && !this.#isSuspect(event));
  }

  /** Resolves when every event is handled, has failed or timed out, or is blocked by another one. */
  async dispatch(events: readonly OrderEvent[], generation: Generation): Promise<void> {
    const { lease, concurrency } = this.#options;
    const queues = queuesByOrder(events);
    const isOver = () => this.#stops !== generation.stops || !lease.isValid(generation.fence);
    let next = 0;
    const worker = async () => {
      while (next < queues.length && !isOver()) {
        const queue = queues[next] as OrderQueue;
        next += 1;
        await this.#dispatchQueue(queue, isOver);
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, queues.length) }, worker));
  }

  async #dispatchQueue(queue: OrderQueue, isOver: () => boolean): Promise<void> {
    const { ledger, ordering, runs } = this.#options;
    const [first] = queue;
    if (ordering === 'per-order' && first && runs.hasOrder(first.orderId)) return;
    for (const event of queue) {
      if (isOver()) return;
      if (this.#isSuspect(event) && this.#isCallable(event)) {
        await ledger.countAttempts([event]);
        if (isOver()) return;
      }
      const pending = this.#dispatchOne(event);
      const next = pending instanceof Promise ? await pending : pending;
      if (ordering === 'per-order' && next === 'block') return;
    }
  }

  #dispatchOne(event: OrderEvent): NextStep | Promise<NextStep> {
    const { ledger, listeners, maxAttempts, outcomes, runner, runs } = this.#options;
    if (runs.has(event)) return 'block';
    if (runs.wasRecentlyHandled(event) || ledger.isHandled(event)) return 'continue';
    if (ledger.attemptsOf(event) >= maxAttempts) {
      const next = runner.deadLetter(event);
      if (next === undefined) outcomes.exhausted(event);
      return next ?? 'block';
    }
    const { registrations, isBusy } = listeners.of(event.eventType);
    if (isBusy) return 'block';
    if (registrations.length > 0) return runner.run(event, registrations);
    if (ledger.attemptsOf(event) === 0) {
      outcomes.unhandled(event);
      return 'continue';
    }
    // It had listeners and failed: it waits at the hub for others.
    outcomes.abandoned(event);
    return 'block';
  }

  /** Whether `dispatch` will call listeners of the event, unless an earlier event of its order fails. */
  #isCallable(event: OrderEvent): boolean {
    const { listeners, ledger, runs, maxAttempts, ordering } = this.#options;
    const isBlocked = runs.has(event) || (ordering === 'per-order' && runs.hasOrder(event.orderId));
    if (isBlocked || ledger.attemptsOf(event) >= maxAttempts) return false;
    return listeners.of(event.eventType).registrations.length > 0;
  }

  /**
   * The event was attempted before, possibly by a process that another event of
   * the same poll has killed. If it were counted together with all the others
   * again, it would reach `maxAttempts` without a real attempt.
   */
  #isSuspect(event: OrderEvent): boolean {
    const { ledger, maxAttempts } = this.#options;
    return maxAttempts !== Number.POSITIVE_INFINITY && ledger.attemptsOf(event) > 0;
  }
}
