import type { OrderEvent } from '../schemas/event.js';
import type { EventRunner, NextStep } from './event-runner.js';
import type { Ledger } from './ledger.js';
import { type OrderQueue, queuesByOrder } from './order-queues.js';
import type { Outcomes } from './outcomes.js';
import type { PollerContext } from './poller-context.js';

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
  readonly #context: PollerContext;
  readonly #ledger: Ledger;
  readonly #outcomes: Outcomes;
  readonly #runner: EventRunner;
  #stops = 0;

  constructor(context: PollerContext, ledger: Ledger, outcomes: Outcomes, runner: EventRunner) {
    this.#context = context;
    this.#ledger = ledger;
    this.#outcomes = outcomes;
    this.#runner = runner;
  }

  get generation(): Generation {
    return { stops: this.#stops, fence: this.#context.lease.fence };
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
    const { lease, concurrency } = this.#context;
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
    const { ordering, runs } = this.#context;
    const [first] = queue;
    if (ordering === 'per-order' && first && runs.hasOrder(first.orderId)) return;
    for (const event of queue) {
      if (isOver()) return;
      if (this.#isSuspect(event) && this.#isCallable(event)) {
        await this.#ledger.countAttempts([event]);
        if (isOver()) return;
      }
      const pending = this.#dispatchOne(event);
      const next = pending instanceof Promise ? await pending : pending;
      if (ordering === 'per-order' && next === 'block') return;
    }
  }

  #dispatchOne(event: OrderEvent): NextStep | Promise<NextStep> {
    const { listeners, maxAttempts, runs } = this.#context;
    if (runs.has(event)) return 'block';
    if (runs.wasRecentlyHandled(event) || this.#ledger.isHandled(event)) return 'continue';
    if (this.#ledger.attemptsOf(event) >= maxAttempts) {
      const next = this.#runner.deadLetter(event);
      if (next === undefined) this.#outcomes.exhausted(event);
      return next ?? 'block';
    }
    const { registrations, isBusy } = listeners.of(event.eventType);
    if (isBusy) return 'block';
    if (registrations.length > 0) return this.#runner.run(event, registrations);
    if (this.#ledger.attemptsOf(event) === 0) {
      this.#outcomes.unhandled(event);
      return 'continue';
    }
    // It had listeners and failed: it waits at the hub for others.
    this.#outcomes.abandoned(event);
    return 'block';
  }

  /** Whether `dispatch` will call listeners of the event, unless an earlier event of its order fails. */
  #isCallable(event: OrderEvent): boolean {
    const { listeners, runs, maxAttempts, ordering } = this.#context;
    const isBlocked = runs.has(event) || (ordering === 'per-order' && runs.hasOrder(event.orderId));
    if (isBlocked || this.#ledger.attemptsOf(event) >= maxAttempts) return false;
    return listeners.of(event.eventType).registrations.length > 0;
  }

  /**
   * The event was attempted before, possibly by a process that another event of
   * the same poll has killed. If it were counted together with all the others
   * again, it would reach `maxAttempts` without a real attempt.
   */
  #isSuspect(event: OrderEvent): boolean {
    const { maxAttempts } = this.#context;
    return maxAttempts !== Number.POSITIVE_INFINITY && this.#ledger.attemptsOf(event) > 0;
  }
}
