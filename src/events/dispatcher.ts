import type { OrderEvent } from '../schemas/event.js';
import type { MaybePromise } from '../state/port.js';
import type { Entry } from './entry.js';
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
 * dispatched again before that run has settled. As long as listeners are
 * synchronous, no promise is created.
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
  dispatch(entries: readonly Entry[], generation: Generation): MaybePromise<void> {
    const { lease, concurrency, ordering } = this.#context;
    const isOrdered = ordering === 'per-order';
    const queues = queuesByOrder(entries);
    let next = 0;
    const isOver = () => this.#stops !== generation.stops || !lease.isValid(generation.fence);
    /** Dispatches queues until one of them has to be waited for. */
    const work = (): Pending | undefined => {
      while (next < queues.length && !isOver()) {
        const queue = queues[next] as OrderQueue;
        next += 1;
        const { orderId } = (queue[0] as Entry).event;
        if (this.#isBlocked(orderId)) continue;
        if (isOrdered) this.#busyOrders.set(orderId, undefined);
        const promise = this.#dispatchQueue(queue, 0, isOver);
        if (promise) return { promise, release: () => this.#release(orderId) };
        this.#release(orderId);
      }
      return undefined;
    };
    const first = work();
    return first && inParallel(concurrency, work, first);
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

  /** @returns a promise if an event of the queue has to be waited for. */
  #dispatchQueue(queue: OrderQueue, from: number, isOver: () => boolean): Promise<unknown> | undefined {
    const isOrdered = this.#context.ordering === 'per-order';
    for (let index = from; index < queue.length; index += 1) {
      if (index > from && isOver()) return undefined;
      const pending = this.#dispatchOne(queue[index] as Entry, isOver);
      if (!(pending instanceof Promise)) {
        if (isOrdered && pending === 'block') return undefined;
        continue;
      }
      if (index === queue.length - 1) return pending;
      return pending.then((step) =>
        (isOrdered && step === 'block') || isOver()
          ? undefined
          : this.#dispatchQueue(queue, index + 1, isOver),
      );
    }
    return undefined;
  }

  #dispatchOne(entry: Entry, isOver: () => boolean): MaybePromise<NextStep> {
    const room = this.#outcomes.room();
    if (room) return room.then(() => (isOver() ? 'block' : this.#dispatchOne(entry, isOver)));
    if (this.#isSuspect(entry) && this.#isCallable(entry.event, entry.key, entry.attempts)) {
      return this.#ledger.countAttempt(entry).then(() => (isOver() ? 'block' : this.#call(entry)));
    }
    return this.#call(entry);
  }

  #call(entry: Entry): MaybePromise<NextStep> {
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

/** The queue of an order that has to be waited for. */
interface Pending {
  readonly promise: Promise<unknown>;
  /** To be called when it has settled. */
  readonly release: () => void;
}

/**
 * Calls `work` again and again, up to `concurrency` times at once, until it
 * returns nothing to wait for.
 *
 * @param first - what the first call has returned.
 */
function inParallel(concurrency: number, work: () => Pending | undefined, first: Pending): Promise<void> {
  return new Promise((resolve, reject) => {
    let working = 0;
    const waitFor = ({ promise, release }: Pending) => {
      working += 1;
      promise.then(
        () => {
          release();
          proceed();
        },
        (error: unknown) => {
          release();
          reject(error);
        },
      );
    };
    const proceed = () => {
      working -= 1;
      try {
        const pending = work();
        if (pending) waitFor(pending);
        else if (working === 0) resolve();
      } catch (error) {
        reject(error);
      }
    };
    waitFor(first);
    while (working < concurrency) {
      const pending = work();
      if (!pending) return;
      waitFor(pending);
    }
  });
}
