import type { JournalEntry } from '../../testing/journal.js';
import type { PlayedOrder, Stage } from './stage.js';
import type { Result } from './texts.js';

/** What became of an item. */
export interface ItemResult {
  readonly id: string;
  readonly title: string;
  readonly result: Result;
  /** One line each, with the time on the hub's clock. */
  readonly evidence: readonly string[];
}

/** An expectation that was not met (`failed`), or could not be looked at (`not seen`). */
export class Unmet extends Error {
  readonly result: Exclude<Result, 'passed'>;

  constructor(result: Exclude<Result, 'passed'>, message: string) {
    super(message);
    this.result = result;
  }
}

/** An item while it is played. */
export class Play {
  readonly stage: Stage;
  readonly #orderOf: () => PlayedOrder;
  readonly #evidence: string[] = [];
  /** When each line of the evidence happened. */
  readonly #times: number[] = [];
  readonly #noted = new Set<JournalEntry>();

  /** @param orderOf - creates the order of the item if it does not exist yet. */
  constructor(stage: Stage, orderOf: () => PlayedOrder) {
    this.stage = stage;
    this.#orderOf = orderOf;
  }

  /** The order of the item. The first use creates it, and emits CREATED. */
  get order(): PlayedOrder {
    return this.#orderOf();
  }

  get evidence(): readonly string[] {
    return this.#evidence;
  }

  note(what: string, at = this.stage.clock.now()): void {
    const index = this.#times.findLastIndex((each) => each <= at) + 1;
    this.#times.splice(index, 0, at);
    this.#evidence.splice(index, 0, `${new Date(at).toISOString().slice(11, 19)} ${what}`);
  }

  /** Notes a request of the application, once. */
  noteRequest(entry: JournalEntry): void {
    if (this.#noted.has(entry)) return;
    this.#noted.add(entry);
    const { method, path, status, fault } = entry;
    this.note(
      `${method} ${path} → ${status || this.stage.texts.noResponse}${fault ? ` (${fault.type})` : ''}`,
      entry.at,
    );
  }
}
