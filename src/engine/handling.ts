import type { Commit } from '../inbox/inbox.js';
import type { Engine } from './engine.js';
import type { Run } from './run.js';
import type { OpenEvent, Store } from './store.js';

/** What becomes of events when their listeners have ended. */
export interface Settling {
  /** All listeners of the event have resolved. */
  handled(open: OpenEvent): void;
  /** One has failed. @returns whether the later events of the order may follow; a promise of it, if that is written. */
  failed(run: Run, error: unknown): boolean | Promise<boolean>;
  /** With an inbox: the commit for the context of a listener. */
  commitOf?(run: Run): Commit<unknown>;
  /** With an inbox: the listener, and then its commit. */
  listenerOf?(run: Run, listener: (...given: unknown[]) => unknown): (...given: unknown[]) => unknown;
}

/** What is handled together: the events of a poll, or of a push. */
export interface Handling {
  readonly engine: Engine;
  readonly store: Store;
  readonly settler: Settling;
  /** When the poll was sent, in monotonic ms: whether a retry is due depends on it. */
  readonly polledAt: number;
  /** False after a stop, or without the lease: no more listeners are called. */
  readonly isCurrent: () => boolean;
}
