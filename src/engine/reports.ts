// Only its type: a listener takes its store's client from here.
import type { HubClient } from '../client.js';
import type { Issue } from '../errors/index.js';
import type { Commit } from '../inbox/inbox.js';

/**
 * The second argument of a listener: a plain object that a log may show. `hub` and `signal` are not enumerable; take
 * them by name.
 */
export interface EventContext {
  /** The store's client, for its orders and its menu. */
  readonly hub: HubClient;
  /** How often listeners were called for this event, from 1. A persistent `state` also counts across restarts. */
  readonly attempt: number;
  /** Whether the hub has sent the event before, and it was not handled then. */
  readonly redelivered: boolean;
  /**
   * Aborts when `listenerTimeoutMs` is over, when `stop` gives up waiting, and
   * with `LeaseLostError` when the poller has lost the store's lease.
   */
  readonly signal: AbortSignal;
  /** With the option `inbox` only, see `InboxContext`. */
  readonly commit?: unknown;
  /**
   * Increases with every new holder of the store's lease, across processes and
   * restarts. Its size is that of epoch milliseconds: store it in a 64-bit column. If a
   * process was suspended past its lease, and another one has written a row since,
   * an update with `where fence <= $1` does not change that row.
   */
  readonly fence: number;
  /**
   * The id of the shop, for credentials of several shops: the `merchantId` of the event, else the header
   * `X-App-MerchantId` of the push, else the shop of the option `merchants` if it has only one, else undefined.
   */
  readonly merchantId?: string;
}

/**
 * The second argument of a listener with an inbox.
 *
 * `Tx` is the client of the transaction: a connection of the pool, or the database that `sqliteInbox` got.
 */
export interface InboxContext<Tx> extends EventContext {
  /** One transaction for your rows, the mark of the event, and commands. */
  readonly commit: Commit<Tx>;
}

/** `InboxContext`, or without an inbox (`Tx` is never) `EventContext`. */
export type ContextOf<Tx> = [Tx] extends [never] ? EventContext : InboxContext<Tx>;

/** The second argument of an `error` listener: what the error is about, as far as it is about one event. */
export interface ErrorContext {
  /** The store, in a fleet. */
  readonly storeId?: string;
  /** The event, at most 200 characters of its id. */
  readonly eventId?: string;
  /** The order of the event, at most 200 characters of its id. */
  readonly orderId?: string;
  /** How often its listeners have been called. */
  readonly attempt?: number;
}

/** The result of `stop`. It counts the events since `start`. */
export interface StopReport {
  /** Events whose listeners have all resolved. */
  readonly handled: number;
  /** Events whose acknowledgment the hub has accepted. */
  readonly acknowledged: number;
  /** Ids of the received events that are not acknowledged: the hub sends these events again. */
  readonly unacknowledged: readonly string[];
  /** Whether listeners were still running, or acknowledgments still being sent, after `timeoutMs`. */
  readonly timedOut: boolean;
}

/** The result of `runOnce`: a completed cycle, or the reason why no cycle was started. Check `skipped` to distinguish them. */
export type CycleReport = CompletedCycle | SkippedCycle;

/** A cycle that was not started, because another poller has the store's lease. No request was sent to the hub. */
export interface SkippedCycle extends Partial<Record<keyof Omit<CompletedCycle, 'skipped'>, undefined>> {
  /** Why the cycle was skipped. */
  readonly skipped: 'leased';
  /** When the lease ends unless it is renewed, in ms from now. */
  readonly retryAfterMs: number;
}

/** The result of one cycle: poll, handle, acknowledge. */
export interface CompletedCycle {
  /** Always undefined: the cycle was not skipped. */
  readonly skipped?: undefined;
  /** Events in the response, without duplicates. */
  readonly received: number;
  /** Events whose listeners have all resolved in this cycle. */
  readonly handled: number;
  /** Events that an earlier cycle handled; the hub sent them again, and they were only acknowledged again. */
  readonly redelivered: number;
  /** Events whose type has no listener. */
  readonly unhandled: number;
  /** Events whose acknowledgment the hub has accepted in this cycle. */
  readonly acknowledged: number;
  /** Ids of this poll that are not acknowledged: failed, blocked by another event, still running, or refused by the hub. */
  readonly unacknowledged: readonly string[];
  /** The events of this cycle whose listeners failed, and why. */
  readonly failures: ReadonlyArray<{
    /** The id of the event. */
    readonly eventId: string;
    /** Why its listener failed; an `AggregateError` if several listeners failed. */
    readonly error: unknown;
  }>;
  /** How the response deviates from Spec §2.11. */
  readonly issues: readonly Issue[];
}

/** What `health` shows of an error that a listener has thrown. */
export interface ListenerError {
  /** As `error.name`. */
  readonly name: string;
  /** As `error.message`, at most 200 characters, without secrets. */
  readonly message: string;
}

/** What a poller is doing; instants are whole epoch ms. */
export interface PollerHealth {
  /** What the poller is doing. */
  readonly status: 'idle' | 'starting' | 'standby' | 'running' | 'paused' | 'stopping';
  /** When the last good poll returned. */
  readonly lastPolledAt: number | undefined;
  /** When the next poll is due; undefined unless the poller polls. */
  readonly nextPollAt: number | undefined;
  /**
   * How long the hub has been without the poll that is due, in ms, once that is more than two intervals, whatever the
   * reason: the state refuses it, the token is limited, or the last poll's events are still being handled. Otherwise 0,
   * also on standby, while paused, and while a backoff or the hub's `Retry-After` for polls lasts.
   */
  readonly overdueMs: number;
  /** Failed polls since the last good one. */
  readonly consecutiveFailures: number;
  /** Why the last poll failed; undefined after a good one. */
  readonly lastError: unknown;
  /** Events whose listeners are running. */
  readonly running: number;
  /** Events that were received and are not acknowledged; on standby none counts. */
  readonly unacknowledged: number;
  /** How long ago the oldest of them was received, in ms; 0 without such an event. */
  readonly oldestOpenMs: number;
  /** Why listeners failed last, among those of events that are not handled; undefined if no listener has, and on standby. */
  readonly listenerError: ListenerError | undefined;
  /** Events since `start` whose listeners have all resolved. */
  readonly handled: number;
  /** Events since `start` whose acknowledgment the hub has accepted. */
  readonly acknowledged: number;
  /**
   * How long a poll, or on standby a try to get the lease, has been due and was not begun, although nothing is waited
   * for: neither the hub nor the state, a listener or a limit. In ms. It stays near 0 unless the timers of this process do not fire: `livenessHandler` fails
   * when it is above 15 minutes. In a fleet it is about the store that has been due longest.
   */
  readonly stuckMs: number;
  /** The library for SQLite that `fileState` uses, such as 'node:sqlite'; undefined with another state. */
  readonly stateDriver: string | undefined;
}
