import type { Commit } from '../inbox/inbox.js';
import type { Engine } from './engine.js';
import type { Run } from './run.js';
import type { OpenEvent, Store } from './store.js';

/** Where handled events go. */
export interface Settling {
  /** All listeners of the event have resolved. */
  handled(open: OpenEvent): void;
}

/** With an inbox: what a run of a stored event needs. */
export interface StoredRuns extends Settling {
  /** Its listeners have failed. @returns whether the later events of the order may follow. */
  failed(run: Run, error: unknown): Promise<boolean>;
  /** The listener, and then its commit. */
  listenerOf(run: Run, listener: (...given: unknown[]) => unknown): (...given: unknown[]) => unknown;
  /** For the listener's context. */
  commitOf(run: Run): Commit<unknown>;
}

/** What is handled together: the events of a poll, or of a push. */
export interface Handling {
  readonly engine: Engine;
  readonly store: Store;
  readonly settler: Settling;
  /** With an inbox. */
  readonly stored?: StoredRuns | undefined;
  /** When the poll was sent, in monotonic ms: whether a retry is due depends on it. */
  readonly polledAt: number;
  /** False after a stop, or without the lease: no more listeners are called. */
  readonly isCurrent: () => boolean;
}
