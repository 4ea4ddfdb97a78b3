// Only its type: a listener takes its store's client from here.
import type { HubClient } from '../client.js';
import type { AnyHubError, Issue } from '../errors.js';
import type { AnyOrderEvent, OrderEvent } from '../schemas/event.js';
import type { KnownEventType } from '../schemas/event-types.js';

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
   * reason: the state refuses it, or the last poll's events are still being handled. Otherwise 0, also on standby, while
   * paused, and while a backoff or the hub's `Retry-After` lasts.
   */
  readonly overdueMs: number;
  /** Failed polls since the last good one. */
  readonly consecutiveFailures: number;
  /** Why the last poll failed; undefined after a good one. */
  readonly lastError: unknown;
  /** Events whose listeners are running. */
  readonly running: number;
  /** Events that were received and are not acknowledged. */
  readonly unacknowledged: number;
  /** How long ago the oldest of them was received, in ms; 0 if there is none. */
  readonly oldestOpenMs: number;
  /** Why listeners failed last, among those of events that are not handled; undefined if there is none. */
  readonly listenerError: ListenerError | undefined;
  /** Events since `start` whose listeners have all resolved. */
  readonly handled: number;
  /** Events since `start` whose acknowledgment the hub has accepted. */
  readonly acknowledged: number;
  /** The library for SQLite that `fileState` uses, such as 'node:sqlite'; undefined with another state. */
  readonly stateDriver: string | undefined;
}

/** An event that has failed `maxAttempts` times. */
export interface DeadLetter {
  /** The event that could not be handled. */
  readonly event: OrderEvent;
  /** How often its listeners were called. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: unknown;
}

/** An error of this package (see its `code`), or whatever a listener has thrown. */
export type PollerError =
  | AnyHubError
  | (Error & {
      /** Undefined, because this is a listener's error and not one of this package. */
      readonly code?: undefined;
    });

/** The events of the poller itself. Their listeners only observe: if one throws, the error is only logged. */
export type LifecycleEvents = {
  /** The first poll succeeded; `at` is epoch ms. */
  started: {
    /** When the poll succeeded, in epoch ms. */
    readonly at: number;
  };
  /** Another poller has the store's lease. Emitted once each time this poller begins to wait for it. */
  standby: {
    /** When the other poller's lease ends unless it is renewed, in ms from now. */
    readonly retryAfterMs: number;
  };
  /** A poll succeeded. */
  polled: {
    /** Events in the response, each id once. */
    readonly received: number;
    /** Deviations of the response from Spec §2.11. */
    readonly issues: readonly Issue[];
    /** How long the poll took, in ms. */
    readonly durationMs: number;
  };
  /** The hub has accepted an acknowledgment. */
  acknowledged: {
    /** The ids of the events. */
    readonly eventIds: readonly string[];
  };
  /** Events could not be acknowledged; the hub sends them again. */
  acknowledgeFailed: {
    /** The ids of the events. */
    readonly eventIds: readonly string[];
    /** Why they could not be acknowledged. */
    readonly error: unknown;
  };
  /** A listener threw, rejected or timed out; the event stays at the hub. Also emitted as `error`. */
  listenerFailed: {
    /** The event that was not handled. */
    readonly event: OrderEvent;
    /** Why the listener failed; an `AggregateError` if several listeners failed. */
    readonly error: unknown;
    /** How often the listeners were called for this event, from 1. */
    readonly attempt: number;
  };
  /** An event's type has no listener. */
  unhandled: {
    /** The event. */
    readonly event: OrderEvent;
    /** Whether it is acknowledged; the option `unhandled` decides. */
    readonly acknowledged: boolean;
  };
  /** A poll deviates from Spec §2.11; events without usable ids are left out. */
  invalid: {
    /** The deviations. */
    readonly issues: readonly Issue[];
  };
  /** A request of the hub was answered, see `EventPoller.receive`. */
  pushed: {
    /** The status of the response; 200: the events are handled. */
    readonly status: number;
    /** The ids of the events. Empty if the request was refused before they were read. */
    readonly eventIds: readonly string[];
  };
  /** A poll failed; the next one is due after `delayMs`. Also emitted as `error`. */
  backoff: {
    /** Why the poll failed. */
    readonly error: unknown;
    /** Until the next poll, in ms. */
    readonly delayMs: number;
    /** Failed polls in a row. */
    readonly failures: number;
  };
  /** A poll succeeded after failed ones. */
  recovered: {
    /** How many polls had failed in a row. */
    readonly failures: number;
  };
  /** Any failure. If there is no `error` listener, it is logged. */
  error: PollerError;
  /** `stop` has ended. */
  stopped: StopReport;
};

export const LIFECYCLE_NAMES: ReadonlySet<string> = new Set<keyof LifecycleEvents>([
  'started',
  'standby',
  'polled',
  'acknowledged',
  'acknowledgeFailed',
  'listenerFailed',
  'unhandled',
  'invalid',
  'pushed',
  'backoff',
  'recovered',
  'error',
  'stopped',
]);

/** A type of Spec §6.1, `event` for all types, `deadLetter`, or the name of a lifecycle event. */
export type PollerEventName = KnownEventType | keyof LifecycleEvents | 'event' | 'deadLetter';

/**
 * Accepts a `string` and refuses a literal, so that a misspelled literal does
 * not compile. Pass a hub's own type as `'REFUNDED' as string`.
 */
export type HubEventName<Name extends string> = string extends Name
  ? Name
  : // The compiler quotes the key in its error.
    {
      /** Never exists: its name is what the compiler prints for a misspelled event name. */
      readonly "not an event name; write a hub's own type as 'TYPE' as string": never;
    };

/** The listener of a hub's own event type. */
export type HubEventListener = (event: OrderEvent<string & {}>, context: EventContext) => unknown;

/** The listener of each name. */
export type PollerListeners = {
  readonly [Name in PollerEventName]: Name extends 'error'
    ? (error: PollerError, context: ErrorContext) => unknown
    : Name extends keyof LifecycleEvents
      ? (payload: LifecycleEvents[Name]) => unknown
      : Name extends 'deadLetter'
        ? (letter: DeadLetter, context: EventContext) => unknown
        : Name extends KnownEventType
          ? (event: OrderEvent<Name>, context: EventContext) => unknown
          : (event: AnyOrderEvent, context: EventContext) => unknown;
};

/** The listener of one name; the name narrows the event. */
export type PollerListener<Name extends PollerEventName> = PollerListeners[Name];
