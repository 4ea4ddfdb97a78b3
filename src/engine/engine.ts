import type { HubClient } from '../client.js';
import type { LeaseLostError } from '../errors/index.js';
import type { Observers } from '../observe/observers.js';
import type { Services } from '../services/services.js';
import type { Deadlines } from '../time/clock.js';
import type { EngineInbox } from './inbox/record.js';
import type { LifecycleEvents } from './lifecycle-events.js';
import type { Listeners } from './listeners.js';
import type { ResolvedPollerOptions } from './options.js';
import type { ErrorContext } from './reports.js';
import type { Run } from './run.js';
import type { Scheduler } from './scheduler.js';
import type { Store } from './store.js';
import { messageOf } from './thrown.js';

/** What all stores of a poller or of a fleet share. `EventPoller` and `HubFleet` are its doors. */
export interface Engine {
  readonly services: Services;
  readonly options: ResolvedPollerOptions;
  readonly listeners: Listeners;
  readonly observers: Observers<LifecycleEvents>;
  readonly scheduler: Scheduler;
  /** The time limits of the runs under way. */
  readonly deadlines: Deadlines<Run>;
  /** Whether the lease of an idle store is kept: otherwise it ends during a long backoff, and another process may try. */
  readonly keepsIdleLease: boolean;
  /** Where events are stored before they are acknowledged. Undefined: they are acknowledged when they are handled. */
  readonly inbox: EngineInbox | undefined;
  /** Something waits in the inbox. */
  readonly wakeInbox: (store: Store) => void;
  /** The client that a store's listeners get. */
  readonly hubOf: (store: Store) => HubClient;
  /** Another poller may have the store: its runs are given up. */
  readonly onLeaseLost: (store: Store, error: LeaseLostError) => void;
  /** A turn has failed. @returns whether it has ended polling, because another turn cannot correct the error. */
  readonly onTurnFailed: (store: Store, error: unknown) => boolean;
  /** A store had its first good poll; or a turn without one is over, while there was none. */
  readonly onFirstTurn: (store: Store) => void;
  /** Polling has ended. */
  readonly onStopped: (store: Store) => void;
}

/** Emits a lifecycle event; in a fleet, with the store as the second argument. */
export function emit<Name extends keyof LifecycleEvents>(
  { observers }: Engine,
  store: Store | undefined,
  name: Name,
  payload: LifecycleEvents[Name],
  about?: ErrorContext,
): void {
  if (!observers.has(name)) return;
  const storeId = store?.account.storeId;
  observers.emit(name, payload, storeId === undefined ? about : { storeId, ...about });
}

/**
 * Emits `error`; without a listener the error is logged.
 *
 * @param store - undefined: the error is not about one store.
 * @param about - which event it is about.
 */
export function reportError(
  engine: Engine,
  store: Store | undefined,
  thrown: unknown,
  message = 'error in the poller',
  about: ErrorContext = {},
): void {
  const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
  if (engine.observers.has('error')) emit(engine, store, 'error', error, about);
  else
    (store?.account ?? engine.services.options).logger.error(`opendelivery-client: ${message}`, {
      error,
      ...about,
    });
}
