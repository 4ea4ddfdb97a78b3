import type { Logger } from '../observe/logger.js';

/** What a call needs of the state: a full disk fails writing only, and a lease may need no disk. */
export type StateUse = 'reading' | 'writing' | 'leasing';

const TIMEOUT_MS = 5000;

/** The same while the state is unavailable, so that not every caller waits the full time. */
const TIMEOUT_WHILE_UNAVAILABLE_MS = 1000;

const NONE: readonly StateUse[] = [];

/** Whether the state is available. Logs once when it fails, and once when every failed use works again. */
export class StateHealth {
  readonly #logger: Logger;
  #failing: readonly StateUse[] = NONE;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get timeoutMs(): number {
    return this.#failing.length > 0 ? TIMEOUT_WHILE_UNAVAILABLE_MS : TIMEOUT_MS;
  }

  failed(use: StateUse, error: unknown): void {
    const isFirst = this.#failing.length === 0;
    if (!this.#failing.includes(use)) this.#failing = [...this.#failing, use];
    if (!isFirst) return;
    this.#logger.warn(
      'opendelivery-client: the state is unavailable; until it works again the client sends no polls and no token requests, and events wait at the hub. The error says what to check',
      { error },
    );
  }

  succeeded(use: StateUse): void {
    if (!this.#failing.includes(use)) return;
    this.#failing = this.#failing.filter((each) => each !== use);
    if (this.#failing.length === 0) {
      this.#logger.info('opendelivery-client: the state is available again');
    }
  }
}
