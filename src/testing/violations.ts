import type { Clock } from '../time/clock.js';
import type { Journal, JournalEntry } from './journal.js';
import type { Violation } from './rules.js';

/** A violation and what caused it. */
export interface CausedViolation {
  readonly violation: Violation;
  /** The store that must answer, or whose credentials the request has. Undefined: they belong to no store. */
  readonly clientId: string | undefined;
  /** The number in the journal of the request that broke the rule. */
  readonly request?: number;
  /** The order whose answer is missing or came late. */
  readonly orderId?: string;
}

/** The rules that the client has broken, and with which requests. */
export class Violations {
  readonly #clock: Clock;
  readonly #journal: Journal;
  #all: CausedViolation[] = [];
  readonly #broken = new WeakMap<JournalEntry, Violation[]>();
  /** The request that is being processed; what follows it without an `await` belongs to it. */
  current: JournalEntry | undefined;

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock;
    this.#journal = journal;
  }

  get all(): readonly CausedViolation[] {
    return this.#all;
  }

  /** Removes what one store has broken, or all. */
  remove(clientId: string | undefined): void {
    this.#all = clientId === undefined ? [] : this.#all.filter((each) => each.clientId !== clientId);
  }

  /** The request that is being processed has broken a rule. @param message - without credentials. */
  add(rule: Violation['rule'], message: string): void {
    const current = this.current as JournalEntry;
    const { endpoint, clientId } = current;
    const violation = { rule, endpoint, at: this.#clock.now(), message };
    this.#all.push({ violation, clientId, request: this.#journal.numberOf(current) });
    this.#broken.set(current, [...this.brokenBy(current), violation]);
  }

  brokenBy(request: JournalEntry): readonly Violation[] {
    return this.#broken.get(request) ?? [];
  }
}
