import { AsyncLocalStorage } from 'node:async_hooks';
import type { HubClient } from '../client.js';
import type { Commit } from '../inbox/inbox.js';
import type { EventContext } from './reports.js';
import type { Run } from './run.js';

/**
 * The second argument of a listener. What it shows are its own fields; `hub`, `signal` and, with an inbox, `commit` are
 * taken by name, because a log of them would be long, and a signal that nobody takes is not made.
 */
export class ListenerContext implements EventContext {
  declare readonly storeId?: string;
  readonly attempt: number;
  readonly redelivered: boolean;
  readonly fence: number;
  declare readonly merchantId?: string;
  declare readonly commit?: Commit<unknown>;
  readonly #run: Run;

  constructor(run: Run) {
    const { engine, store, open } = run;
    const { storeId } = store.account;
    if (storeId !== undefined) this.storeId = storeId;
    this.attempt = run.attempt;
    this.redelivered = run.redelivered;
    this.fence = run.fence;
    // The event itself or its push may name the shop; else it is the one that was polled, if it was only one.
    const polled = store.merchants ?? engine.options.merchants;
    const { merchantId: named } = open.event as { readonly merchantId?: unknown };
    const isNamed = (typeof named === 'string' && named !== '') || Number.isSafeInteger(named);
    if (isNamed || polled?.length === 1) this.merchantId = isNamed ? String(named) : (polled?.[0] as string);
    this.#run = run;
    const { settler } = run;
    if (settler.commitOf) Object.defineProperty(this, 'commit', { get: () => settler.commitOf?.(run) });
  }

  get hub(): HubClient {
    const { engine, store } = this.#run;
    return engine.hubOf(store);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }
}

/** With which `callingRun` finds the run. One for the process: each storage makes every promise of the application slower. */
export const current = new AsyncLocalStorage<Run>();

/** Asynchronous runs under way, of all clients of the process. */
let running = 0;

/** Asynchronous runs have begun, or are over. */
export function countRunning(by: 1 | -1): void {
  running += by;
}

/** Outside of listeners: until the next one is called, the storage costs the application nothing. */
export function stopTracking(): void {
  if (running > 0) return;
  try {
    current.disable();
  } catch {
    // Workers do not implement it, and have no need of it.
  }
}

/** The run whose listener is calling, if the run is not over. */
export function callingRun(): Run | undefined {
  const run = current.getStore();
  return run?.isOver ? undefined : run;
}
