import type { Clock } from '../time/clock.js';
import type { Journal, JournalEntry } from './journal.js';
import type { Violation } from './rules.js';
import type { Stores } from './stores.js';

/** The rules that the client has broken, and with which requests. */
export class Violations {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #stores: Stores;
  #all: Violation[] = [];
  /** The request that broke a rule: its number in the journal, and its store. */
  readonly #causes = new WeakMap<Violation, { readonly number: number; readonly clientId?: string }>();
  readonly #broken = new WeakMap<JournalEntry, Violation[]>();
  /** The request that is being processed; what follows it without an `await` belongs to it. */
  current: JournalEntry | undefined;

  constructor(clock: Clock, journal: Journal, stores: Stores) {
    this.#clock = clock;
    this.#journal = journal;
    this.#stores = stores;
  }

  get all(): readonly Violation[] {
    return this.#all;
  }

  /** Removes what one store has broken, or all. */
  remove(clientId: string | undefined): void {
    this.#all =
      clientId === undefined ? [] : this.#all.filter((violation) => this.storeOf(violation) !== clientId);
  }

  /**
   * The request that is being processed has broken a rule.
   *
   * @param text - may quote the request; credentials are masked here.
   */
  add(rule: Violation['rule'], text: string): void {
    const current = this.current as JournalEntry;
    const { endpoint, clientId } = current;
    const message = this.#journal.mask.own(text, this.#stores.all);
    const violation = { rule, endpoint, at: this.#clock.now(), message };
    this.#all.push(violation);
    const number = this.#journal.numberOf(current);
    this.#causes.set(violation, { number, ...(clientId !== undefined && { clientId }) });
    this.#broken.set(current, [...this.brokenBy(current), violation]);
  }

  /** The number in the journal of the request that broke a rule; undefined for an answer that is missing. */
  requestOf(violation: Violation): number | undefined {
    return this.#causes.get(violation)?.number;
  }

  /** The store whose credentials that request had; undefined if they belong to no store. */
  storeOf(violation: Violation): string | undefined {
    return this.#causes.get(violation)?.clientId;
  }

  brokenBy(request: JournalEntry): readonly Violation[] {
    return this.#broken.get(request) ?? [];
  }
}
