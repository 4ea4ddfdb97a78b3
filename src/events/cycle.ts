import { abandonOnAbort } from '../async/abort.js';
import { Limit } from '../async/limit.js';
import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import { POLL, type PollTrace } from '../tracing/channels.js';
import { isTraced, trace } from '../tracing/operation.js';
import type { PollerPollOptions } from './client.js';
import type { Dispatcher, Generation } from './dispatcher.js';
import type { Entry } from './entry.js';
import type { Ledger, PartitionedPoll } from './ledger.js';
import type { Counts, Outcomes } from './outcomes.js';
import { type PollerContext, WHOLE } from './poller-context.js';
import type { CompletedCycle } from './poller-events.js';
import type { PollResult } from './read.js';
import { rest } from './running.js';

export interface CycleOptions extends Partial<Pick<PollerPollOptions, 'patience' | 'onSend'>> {
  /** Ends the cycle while its events are not dispatched yet; later it has no effect. */
  readonly signal: AbortSignal;
  /** When the poll is due, in monotonic ms. Default: now. */
  readonly dueAt?: number | undefined;
  /** The poll has succeeded, and its events can be handled. */
  readonly onPolled?: () => void;
}

/**
 * The path of an event: poll → ledger → dispatcher → outcomes → acknowledger.
 *
 * @see Spec §6.2
 */
export class Cycle {
  readonly #context: PollerContext;
  readonly #ledger: Ledger;
  readonly #dispatcher: Dispatcher;
  readonly #outcomes: Outcomes;
  /** The marks of events are read in turn: two readings would both count the coming attempt of an event. */
  readonly #reading = new Limit(1);
  readonly #willRun = (event: OrderEvent, key: string, entry: Entry | undefined) =>
    this.#dispatcher.willRun(event, key, entry);

  constructor(context: PollerContext, ledger: Ledger, dispatcher: Dispatcher, outcomes: Outcomes) {
    this.#context = context;
    this.#ledger = ledger;
    this.#dispatcher = dispatcher;
    this.#outcomes = outcomes;
  }

  /**
   * One poll → handle → acknowledge. When it resolves, every event of the poll
   * is handled, has failed or timed out, or is blocked by another one, and every
   * acknowledgment was tried.
   *
   * @throws what the poll throws.
   * @throws {StateError} the marks of the events cannot be read.
   */
  async run({ signal, dueAt, patience, onSend, onPolled }: CycleOptions): Promise<CompletedCycle> {
    const { clock, lease, merchants, pace, runs } = this.#context;
    const before = { ...this.#outcomes.counts };
    const startedAt = clock.monotonic();
    let { generation } = this.#dispatcher;
    const onPollSent = () => {
      generation = this.#dispatcher.generation;
      onSend?.();
    };
    try {
      const polled = await this.#poll(
        { signal, patience, attempts: 1, lease, onSend: onPollSent, merchants },
        dueAt,
      );
      const partitioned = await this.#reading.run(() => this.#partition(polled.events, signal), signal);
      const issues = joined(polled.issues, partitioned.issues);
      pace.lastPolledAt = Math.floor(clock.now());
      const durationMs = clock.monotonic() - startedAt;
      onPolled?.();
      this.#emitPolled(polled.events.length, issues, durationMs);
      if (partitioned.received.length > 0) await this.#handle(partitioned, generation);
      return this.#report(partitioned, before, issues);
    } finally {
      lease.setBusy(runs.size > 0);
      rest();
    }
  }

  /** See `Dispatcher`: what is received now may be handled as long as this is current. */
  get generation(): Generation {
    return this.#dispatcher.generation;
  }

  isCurrent({ stops, fence }: Generation): boolean {
    const current = this.#dispatcher.generation;
    return current.stops === stops && this.#context.lease.isValid(fence);
  }

  /** See `Dispatcher`. */
  isBusy(orderId: string): boolean {
    return this.#dispatcher.isBusy(orderId);
  }

  whenFree(orderId: string): Promise<void> | undefined {
    return this.#dispatcher.whenFree(orderId);
  }

  /**
   * Reads the marks of events that the hub has pushed.
   *
   * @param take - called when it is their turn: the events, each once.
   * @returns their entries, and those that are still open of their orders. `handlePushed` or `giveBack` must follow.
   * @throws {StateError} the marks cannot be read.
   */
  async readPushed(take: () => readonly OrderEvent[]): Promise<readonly Entry[]> {
    const { observers, ordering } = this.#context;
    return this.#reading.run(async () => {
      const isOrdered = ordering === 'per-order';
      const { received, handled, issues } = await this.#ledger.partitionPushed(
        take(),
        isOrdered,
        this.#willRun,
      );
      for (const entry of handled) this.#outcomes.acknowledge(entry);
      if (issues.length > 0) observers.emit('invalid', { issues });
      return received;
    });
  }

  /** Calls the listeners of pushed events, and resolves when those that were handled are marked. */
  async handlePushed(entries: readonly Entry[], generation: Generation): Promise<void> {
    const { lease, runs } = this.#context;
    try {
      lease.setBusy(true);
      await this.#dispatcher.dispatch(
        entries.filter(({ isHandled }) => !isHandled),
        generation,
      );
      await this.#outcomes.marksWritten();
    } finally {
      this.giveBack(entries);
      lease.setBusy(runs.size > 0);
      rest();
    }
  }

  /** The attempts that were counted and not made do not count. */
  giveBack(entries: readonly Entry[]): void {
    this.#ledger.uncountAttempts(entries);
  }

  #poll(options: PollerPollOptions, dueAt: number | undefined): Promise<PollResult> {
    const { clock, events, quote, storeId } = this.#context;
    if (!isTraced(POLL)) return events.pollLeased(options);
    const context: PollTrace = { storeId };
    const onSend = () => {
      options.onSend();
      const now = clock.monotonic();
      context.lateMs = Math.max(0, now - (dueAt ?? now));
    };
    return trace(POLL, context, async () => {
      const polled = await events.pollLeased({ ...options, onSend });
      context.eventIds = polled.events.map(({ eventId }) => quote(eventId));
      context.issues = polled.issues.length;
      return polled;
    });
  }

  /** An abort does not wait for the state, which may count attempts nevertheless: they are taken back. */
  async #partition(events: readonly OrderEvent[], signal: AbortSignal): Promise<PartitionedPoll> {
    const pending = Promise.resolve(this.#ledger.partition(events, this.#willRun));
    try {
      return await abandonOnAbort(pending, signal);
    } catch (error) {
      this.#ledger.uncountWhenCounted(pending);
      throw error;
    }
  }

  async #handle({ fresh, handled }: PartitionedPoll, generation: Generation): Promise<void> {
    try {
      // Not earlier: the poll's slot has just renewed the lease.
      this.#context.lease.setBusy(true);
      // The hub repeats events that were handled before: acknowledged again, not handled again.
      for (const entry of handled) this.#outcomes.acknowledge(entry);
      await this.#dispatcher.dispatch(fresh, generation);
      await this.#outcomes.marksWritten();
      await this.#outcomes.acknowledger.flush();
    } finally {
      this.#ledger.uncountAttempts(fresh);
    }
    await this.#ledger.attemptsWritten();
  }

  #report({ received, handled }: PartitionedPoll, before: Counts, issues: readonly Issue[]): CompletedCycle {
    const { counts } = this.#outcomes;
    const idOf = ({ eventId }: OrderEvent) => this.#context.quote(eventId, WHOLE);
    const unconfirmed = received.filter(({ isUnconfirmed }) => isUnconfirmed);
    return {
      received: received.length,
      handled: counts.handled - before.handled,
      redelivered: handled.length,
      unhandled: counts.unhandled - before.unhandled,
      acknowledged: counts.acknowledged - before.acknowledged,
      unacknowledged: unconfirmed.map(({ event }) => idOf(event)),
      failures: unconfirmed
        .filter(({ lastError }) => lastError !== undefined)
        .map(({ event, lastError }) => ({ eventId: idOf(event), error: lastError })),
      issues,
    };
  }

  #emitPolled(received: number, issues: readonly Issue[], durationMs: number): void {
    const { observers } = this.#context;
    observers.emit('polled', { received, issues, durationMs });
    if (issues.length > 0) observers.emit('invalid', { issues });
  }
}

const joined = (one: readonly Issue[], other: readonly Issue[]) =>
  other.length > 0 ? [...one, ...other] : one;
