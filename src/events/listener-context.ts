import type { HubClient } from '../client.js';
import type { EventContext } from './poller-events.js';
import type { Run } from './run.js';

/** The part of a poller that its listeners get. */
export interface ContextSource {
  /** The store, in a fleet. */
  readonly storeId: string | undefined;
  /** The store's client. */
  readonly hub: () => HubClient;
}

/**
 * The second argument of a listener. What it shows are its own fields; `hub` and `signal` are taken by name, because
 * a log of them would be long, and a signal that nobody takes is not made.
 */
export class ListenerContext implements EventContext {
  declare readonly storeId?: string;
  readonly attempt: number;
  readonly redelivered: boolean;
  readonly fence: number;
  declare readonly merchantId?: string;
  readonly #run: Run;
  readonly #source: ContextSource;

  constructor(run: Run, source: ContextSource, merchantId: string | undefined) {
    if (source.storeId !== undefined) this.storeId = source.storeId;
    this.attempt = run.attempt;
    this.redelivered = run.redelivered;
    this.fence = run.fence;
    if (merchantId !== undefined) this.merchantId = merchantId;
    this.#run = run;
    this.#source = source;
  }

  get hub(): HubClient {
    return this.#source.hub();
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }
}
