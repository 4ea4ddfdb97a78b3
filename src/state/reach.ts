import type { Logger } from '../logger.js';

/** What a call does to the state: a full disk fails writing alone, and a lease may need no disk. */
export type StateUse = 'reading' | 'writing' | 'leasing';

/** No call of a state takes longer. */
const TIMEOUT_MS = 5000;

/** While it is out of reach: whoever calls is not held up each time anew. */
const TIMEOUT_WHILE_OUT_MS = 1000;

/** Whether a state answers: warns once when it no longer does, and notices when it does again. */
export class Reach {
  readonly #logger: Logger;
  readonly #failing = new Set<StateUse>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** How long the next answer is waited for. */
  get timeoutMs(): number {
    return this.#failing.size > 0 ? TIMEOUT_WHILE_OUT_MS : TIMEOUT_MS;
  }

  failed(use: StateUse, error: unknown): void {
    const isFirst = this.#failing.size === 0;
    this.#failing.add(use);
    if (!isFirst) return;
    this.#logger.warn(
      'opendelivery-client: the state is out of reach; until it is back nothing is polled and no token requested, events wait at the hub',
      { error },
    );
  }

  answered(use: StateUse): void {
    if (this.#failing.delete(use) && this.#failing.size === 0) {
      this.#logger.info('opendelivery-client: the state answers again');
    }
  }
}
