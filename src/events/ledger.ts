import type { Clock } from '../clock.js';
import { EVENTS_PER_POLL } from '../endpoints.js';
import { StateError } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import type { State } from '../state/port.js';

export interface LedgerOptions {
  readonly state: State;
  readonly stateKey: string;
  readonly clock: Clock;
  readonly rememberMs: number;
  readonly scrub: (text: string) => string;
}

const DAY_MS = 86_400_000;

/** What this process knows of an event that is not confirmed. */
interface Entry {
  readonly event: OrderEvent;
  attempts: number;
  handled: boolean;
  lastError: unknown;
  seenAt: number;
  /** Whether an earlier poll brought it too. */
  redelivered: boolean;
  /** Whether it was in the hands of listeners in this process, or may have been in one before. */
  attempted: boolean;
  /** Whether the state says so to the processes after this one. */
  isMarked: boolean;
  toldExhausted: boolean;
}

/**
 * Which events are handled, and which of them are confirmed.
 *
 * Ids are noted as *handled*, never as *seen*: an event that was received and
 * failed is as unknown as a new one, or it would be confirmed when it comes
 * again and an order would be lost.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #open = new Map<string, Entry>();
  /** Handled since the present poll was sorted: what it brought of these is settled. */
  readonly #handledSince = new Set<string>();
  /** Marks the state could not take; the only memory of these until then. */
  readonly #unwritten = new Set<string>();

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /**
   * Whether the memory answers.
   *
   * @throws {StateError} it does not.
   */
  async probe(): Promise<void> {
    const { state, stateKey, clock } = this.#options;
    try {
      await state.recall(stateKey, [], clock);
    } catch (cause) {
      throw this.#outOfReach(cause);
    }
  }

  /** Ids that were handed out, or were about to be. */
  get #attemptedKey(): string {
    return `${this.#options.stateKey}:attempted`;
  }

  /**
   * Parts a poll's events into those still to be handled and those that were.
   *
   * @throws {StateError} the state is out of reach: nothing can be handled safely.
   */
  async sort(events: readonly OrderEvent[]): Promise<{ fresh: OrderEvent[]; handled: OrderEvent[] }> {
    const { state, stateKey, clock } = this.#options;
    const ids = events.map(({ eventId }) => eventId);
    let known: ReadonlySet<string>;
    let attempted: ReadonlySet<string>;
    const unwritten = new Set(this.#unwritten);
    this.#handledSince.clear();
    try {
      known = new Set(await state.recall(stateKey, ids, clock));
      attempted = new Set(await state.recall(this.#attemptedKey, ids, clock));
      await this.#writeLate();
    } catch (cause) {
      throw this.#outOfReach(cause);
    }
    const fresh: OrderEvent[] = [];
    const handled: OrderEvent[] = [];
    for (const event of events) {
      const { eventId } = event;
      const redelivered = this.#open.has(eventId) || attempted.has(eventId);
      const entry = this.#entry(event);
      entry.redelivered = redelivered;
      // A mark of another process: its listeners may have run.
      if (attempted.has(eventId) && !entry.isMarked) {
        entry.attempted = true;
        entry.isMarked = true;
      }
      const isHandled = entry.handled || known.has(eventId) || unwritten.has(eventId);
      entry.handled = isHandled;
      (isHandled ? handled : fresh).push(event);
    }
    this.#forgetMissing(new Set(ids));
    return { fresh, handled };
  }

  /**
   * Notes which events are about to be handed to listeners, for this process
   * and for those after it: one whose process was killed meanwhile does not
   * count as unhandled by a process that has no listener for it.
   */
  async markAttempts(events: readonly OrderEvent[]): Promise<void> {
    const unmarked = events.map((event) => this.#entry(event)).filter(({ isMarked }) => !isMarked);
    if (unmarked.length === 0) return;
    try {
      await this.#writeAttempts(unmarked.map(({ event }) => event.eventId));
      for (const entry of unmarked) entry.isMarked = true;
    } catch {
      // Tried again when its listeners fail; a state that takes no mark keeps no order from the kitchen.
    }
  }

  /** Notes that listeners are about to be called; how often they were, this time included. */
  attempt(event: OrderEvent): number {
    const entry = this.#entry(event);
    entry.attempts += 1;
    entry.attempted = true;
    return entry.attempts;
  }

  attemptsOf(event: OrderEvent): number {
    return this.#open.get(event.eventId)?.attempts ?? 0;
  }

  /** Whether listeners were ever called for it; it can then no longer be unhandled. */
  wasAttempted(event: OrderEvent): boolean {
    return this.#open.get(event.eventId)?.attempted ?? false;
  }

  isRedelivered(event: OrderEvent): boolean {
    return this.#open.get(event.eventId)?.redelivered ?? false;
  }

  /** True the first time it is asked of an event. */
  tellExhausted(event: OrderEvent): boolean {
    const entry = this.#entry(event);
    const isFirst = !entry.toldExhausted;
    entry.toldExhausted = true;
    return isFirst;
  }

  /** Notes a failure; a failed event never becomes an unhandled one. */
  async failed(event: OrderEvent, error: unknown): Promise<void> {
    const entry = this.#entry(event);
    entry.lastError = error;
    await this.markAttempts([event]);
  }

  lastErrorOf(event: OrderEvent): unknown {
    return this.#open.get(event.eventId)?.lastError;
  }

  /**
   * Notes that all listeners have resolved.
   *
   * @returns why the mark could not be written; it is then kept in memory.
   */
  async handled(event: OrderEvent): Promise<unknown> {
    this.#entry(event).handled = true;
    this.#handledSince.add(event.eventId);
    try {
      await this.#write([event.eventId]);
      return undefined;
    } catch (cause) {
      this.#unwritten.add(event.eventId);
      const which = this.#options.scrub(event.eventId);
      return new StateError(`event ${which} is handled, but the mark could not be written`, { cause });
    }
  }

  /** A last try to write the marks that only this memory has; their failure was told when they were made. */
  async flush(): Promise<void> {
    await this.#writeLate().catch(() => {});
  }

  /** Whether a run of an earlier cycle has handled it since this poll was sorted. */
  wasJustHandled(event: OrderEvent): boolean {
    return this.#handledSince.has(event.eventId);
  }

  confirmed(eventIds: readonly string[]): void {
    for (const id of eventIds) this.#open.delete(id);
  }

  /** Ids received and not confirmed. */
  unconfirmed(): string[] {
    return [...this.#open.keys()];
  }

  isConfirmed(eventId: string): boolean {
    return !this.#open.has(eventId);
  }

  #entry(event: OrderEvent): Entry {
    let entry = this.#open.get(event.eventId);
    if (!entry) {
      entry = {
        event,
        attempts: 0,
        handled: false,
        lastError: undefined,
        seenAt: 0,
        redelivered: false,
        attempted: false,
        isMarked: false,
        toldExhausted: false,
      };
      this.#open.set(event.eventId, entry);
    }
    entry.seenAt = this.#options.clock.monotonic();
    return entry;
  }

  #write(ids: readonly string[]): void | Promise<void> {
    const { state, stateKey, clock, rememberMs } = this.#options;
    return state.remember(stateKey, ids, rememberMs, clock);
  }

  #writeAttempts(ids: readonly string[]): void | Promise<void> {
    const { state, clock, rememberMs } = this.#options;
    return state.remember(this.#attemptedKey, ids, Math.max(rememberMs, DAY_MS), clock);
  }

  /** Marks that could not be written when they were made. */
  async #writeLate(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const ids = [...this.#unwritten];
    await this.#write(ids);
    for (const id of ids) this.#unwritten.delete(id);
  }

  /**
   * The hub repeats what is unconfirmed: a handled event that stays away was
   * confirmed by an acknowledgment whose answer got lost. One that failed is
   * remembered longer, because it must never count as unhandled.
   */
  #forgetMissing(present: ReadonlySet<string>): void {
    const { clock, rememberMs } = this.#options;
    const before = clock.monotonic() - Math.max(rememberMs, DAY_MS);
    const isComplete = present.size < EVENTS_PER_POLL;
    for (const [id, entry] of this.#open) {
      if (present.has(id)) continue;
      if ((entry.handled && isComplete) || entry.seenAt < before) this.#open.delete(id);
    }
  }

  #outOfReach(cause: unknown): StateError {
    const why =
      cause instanceof Error ? this.#options.scrub(`${cause.name}: ${cause.message}`) : 'no reason given';
    return new StateError(
      `the memory of handled events is out of reach (${why}); nothing is handled until it is back`,
      { cause },
    );
  }
}
