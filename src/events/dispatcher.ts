import type { OrderEvent } from '../schemas/event.js';
import type { Entry } from './entry.js';
import type { EventRunner, Step } from './event-runner.js';
import type { Ledger } from './ledger.js';
import { queuesByOrder } from './order-queues.js';
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
  /** Orders that a dispatch is at work on, and who waits for them: a poll and pushes can be handled at the same time. */
  readonly #busyOrders = new Map<string, (() => void)[] | undefined>();
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

  /**
   * Whether `dispatch` will call listeners of the event, unless it was handled
   * or an earlier event of its order fails: its attempt is counted before.
   * `dispatch` itself counts those of the suspects.
   */
  willRun(event: OrderEvent, key: string, entry: Entry | undefined): boolean {
    if (entry && (entry.isHandled || entry.isCounted || this.#isSuspect(entry))) return false;
    return this.#isCallable(event, key, entry?.attempts ?? 0);
  }

  /** Whether a dispatch is at work on the order. */
  isBusy(orderId: string): boolean {
    return this.#busyOrders.has(orderId);
  }

  /** Resolves when no dispatch is at work on the order; undefined: none is. */
  whenFree(orderId: string): Promise<void> | undefined {
    if (!this.#busyOrders.has(orderId)) return undefined;
    const waiting = this.#busyOrders.get(orderId) ?? [];
    this.#busyOrders.set(orderId, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** Resolves when every event is handled, has failed or timed out, or is blocked by another one. */
  async dispatch(entries: readonly Entry[], generation: Generation): Promise<void> {
    const { lease, concurrency, ordering } = this.#context;
    const isOrdered = ordering === 'per-order';
    const queues = queuesByOrder(entries);
    const isOver = () => this.#stops !== generation.stops || !lease.isValid(generation.fence);
    const work = async () => {
      for (let queue = queues.shift(); queue && !isOver(); queue = queues.shift()) {
        const { orderId } = (queue[0] as Entry).event;
        if (this.#isBlocked(orderId)) continue;
        if (isOrdered) this.#busyOrders.set(orderId, undefined);
        try {
          for (const entry of queue) {
            const pending = this.#dispatchOne(entry, isOver);
            // Most listeners are synchronous, and promises for each event cost half as much as all the rest.
            const step = pending instanceof Promise ? await pending : pending;
            if (isOver() || (isOrdered && step === 'block')) break;
          }
        } finally {
          this.#release(orderId);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, queues.length) }, work));
  }

  #isBlocked(orderId: string): boolean {
    const { ordering, runs } = this.#context;
    return ordering === 'per-order' && (this.#busyOrders.has(orderId) || runs.hasOrder(orderId));
  }

  #release(orderId: string): void {
    const waiting = this.#busyOrders.get(orderId);
    this.#busyOrders.delete(orderId);
    if (waiting) for (const resolve of waiting) resolve();
  }

  #dispatchOne(entry: Entry, isOver: () => boolean): Step {
    const room = this.#outcomes.room();
    if (room) return room.then(() => (isOver() ? 'block' : this.#dispatchOne(entry, isOver)));
    if (this.#isSuspect(entry) && this.#isCallable(entry.event, entry.key, entry.attempts)) {
      return this.#ledger.countAttempt(entry).then(() => (isOver() ? 'block' : this.#call(entry)));
    }
    return this.#call(entry);
  }

  #call(entry: Entry): Step {
    const { listeners, maxAttempts, runs } = this.#context;
    if (runs.has(entry.key)) return 'block';
    if (entry.isHandled || runs.wasRecentlyHandled(entry.key)) return 'continue';
    if (entry.attempts >= maxAttempts) {
      const next = this.#runner.deadLetter(entry);
      if (next === undefined) this.#outcomes.exhausted(entry);
      return next ?? 'block';
    }
    const { registrations, isBusy } = listeners.of(entry.event.eventType);
    if (isBusy) return 'block';
    if (registrations.length > 0) return this.#runner.run(entry, registrations);
    if (entry.attempts === 0) {
      this.#outcomes.unhandled(entry);
      return 'continue';
    }
    // It had listeners and failed: it waits at the hub for others.
    this.#outcomes.abandoned(entry);
    return 'block';
  }

  #isCallable({ orderId, eventType }: OrderEvent, key: string, attempts: number): boolean {
    const { listeners, runs, maxAttempts, ordering } = this.#context;
    const isBlocked = runs.has(key) || (ordering === 'per-order' && runs.hasOrder(orderId));
    if (isBlocked || attempts >= maxAttempts) return false;
    return listeners.of(eventType).registrations.length > 0;
  }

  /**
   * The event was attempted before, possibly by a process that another event of
   * the same poll has killed. If it were counted together with all the others
   * again, it would reach `maxAttempts` without a real attempt.
   */
  #isSuspect({ attempts, isCounted }: Entry): boolean {
    return !isCounted && attempts > 0 && this.#context.maxAttempts !== Number.POSITIVE_INFINITY;
  }
}
