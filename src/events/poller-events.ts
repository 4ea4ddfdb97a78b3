import type { AnyHubError, Issue } from '../errors.js';
import type { AnyOrderEvent, OrderEvent } from '../schemas/event.js';
import type { KnownEventType } from '../schemas/event-types.js';

/** What a listener is told beside the event. */
export interface EventContext {
  /** How often listeners were called for this event, from 1; counted in the state, so also across restarts. */
  readonly attempt: number;
  /** Whether the hub has sent it before and it was not handled then. */
  readonly redelivered: boolean;
  /**
   * Aborts when `listenerTimeoutMs` is over, when `stop` gives up waiting, and
   * with `LeaseLostError` when the poller has lost the store's lease.
   */
  readonly signal: AbortSignal;
  /**
   * Increases with every new holder of the store's lease, across processes and
   * restarts; about epoch milliseconds, so store it in a 64-bit column. A write
   * with `where fence <= $1` is refused for a process that was suspended past
   * its lease while another one went on.
   */
  readonly fence: number;
}

/** What `stop` leaves behind; counted since `start`. */
export interface StopReport {
  /** Events whose listeners have all resolved. */
  readonly handled: number;
  /** Events that the hub has confirmed. */
  readonly acknowledged: number;
  /** Ids received and not confirmed: the hub will send these again. */
  readonly unacknowledged: readonly string[];
  /** Whether listeners or acknowledgments were still under way when the time was up. */
  readonly timedOut: boolean;
}

/** Of `runOnce`: a cycle, or why none was begun; `skipped` tells them apart. */
export type CycleReport = CompletedCycle | SkippedCycle;

/** Another poller has the store's lease: nothing was sent to the hub. */
export interface SkippedCycle extends Partial<Record<keyof Omit<CompletedCycle, 'skipped'>, undefined>> {
  /** Why the cycle was skipped. */
  readonly skipped: 'leased';
  /** When the lease ends unless it is renewed, in ms from now. */
  readonly retryAfterMs: number;
}

/** One poll → handle → acknowledge. */
export interface CompletedCycle {
  /** Always undefined: the cycle was not skipped. */
  readonly skipped?: undefined;
  /** Events in the answer, each id once. */
  readonly received: number;
  /** Events whose listeners have all resolved in this cycle. */
  readonly handled: number;
  /** Events handled in an earlier cycle that came again and were only acknowledged again. */
  readonly redelivered: number;
  /** Events nobody listens to. */
  readonly unhandled: number;
  /** Events that the hub has confirmed in this cycle. */
  readonly acknowledged: number;
  /** Ids of this poll that are not confirmed: failed, held back, still running, or refused. */
  readonly unacknowledged: readonly string[];
  /** Of these, whose listeners failed, and why. */
  readonly failures: ReadonlyArray<{
    /** The id of the event. */
    readonly eventId: string;
    /** Why its listener failed; an `AggregateError` if several listeners failed. */
    readonly error: unknown;
  }>;
  /** Deviations of the poll from Spec §2.11. */
  readonly issues: readonly Issue[];
}

/** What a poller is doing; instants in whole epoch ms. */
export interface PollerHealth {
  /** What the poller is doing. */
  readonly status: 'idle' | 'starting' | 'standby' | 'running' | 'paused' | 'stopping';
  /** When the last good poll ended, in epoch ms. Undefined: there was none. */
  readonly lastPolledAt: number | undefined;
  /** When the next poll is due, in epoch ms. Undefined: none is planned. */
  readonly nextPollAt: number | undefined;
  /** Failed polls in a row; 0 after a good one. */
  readonly consecutiveFailures: number;
  /** Why the last poll failed. Undefined: it did not fail. */
  readonly lastError: unknown;
  /** Events in the hands of listeners. */
  readonly running: number;
  /** Events received and not confirmed. */
  readonly unacknowledged: number;
  /** Events handled since `start`. */
  readonly handled: number;
  /** Events that the hub has confirmed since `start`. */
  readonly acknowledged: number;
}

/** An event that used up `maxAttempts`. */
export interface DeadLetter {
  /** The event that could not be handled. */
  readonly event: OrderEvent;
  /** How often its listeners were called. */
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: unknown;
}

/** An error of this package, by its `code`, or whatever a listener has thrown. */
export type PollerError =
  | AnyHubError
  | (Error & {
      /** Undefined, because this is a listener's error and not one of this package. */
      readonly code?: undefined;
    });

/** Names that only observe; what their listeners throw harms nothing. */
export type LifecycleEvents = {
  /** The first poll succeeded. */
  started: {
    /** When the poll succeeded, in epoch ms. */
    readonly at: number;
  };
  /** Another poller has the store's lease; emitted once, until this one has acquired it. */
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
  /** The hub confirmed events: it does not send them again. */
  acknowledged: {
    /** The ids of the events. */
    readonly eventIds: readonly string[];
  };
  /** Events could not be acknowledged: the hub sends them again. */
  acknowledgeFailed: {
    /** The ids of the events. */
    readonly eventIds: readonly string[];
    /** Why they could not be acknowledged. */
    readonly error: unknown;
  };
  /** A listener threw, rejected or took too long: the hub sends the event again. */
  listenerFailed: {
    /** The event that was not handled. */
    readonly event: OrderEvent;
    /** Why the listener failed; an `AggregateError` if several listeners failed. */
    readonly error: unknown;
    /** How often the listeners were called for this event, from 1. */
    readonly attempt: number;
  };
  /** An event that has no listener was received. */
  unhandled: {
    /** The event. */
    readonly event: OrderEvent;
    /** Whether it is acknowledged; the option `unhandled` decides. */
    readonly acknowledged: boolean;
  };
  /** Something in a poll deviates from Spec §2.11; events without usable ids are left out. */
  invalid: {
    /** The deviations. */
    readonly issues: readonly Issue[];
  };
  /** A poll failed; the next one is later than usual. */
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
  /** A failure that no call of the application reports. Without a listener it is logged. */
  error: PollerError;
  /** The poller has stopped; nothing of it is running. */
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
  'backoff',
  'recovered',
  'error',
  'stopped',
]);

/** A type of Spec §6.1, `event` for all types, `deadLetter`, or the name of a lifecycle event. */
export type PollerEventName = KnownEventType | keyof LifecycleEvents | 'event' | 'deadLetter';

/**
 * Accepts a `string` and refuses a literal: a misspelled literal does not
 * compile, and a hub's own type is passed as `'REFUNDED' as string`.
 */
export type HubEventName<Name extends string> = string extends Name ? Name : never;

/** The listener of a hub's own event type. */
export type HubEventListener = (event: OrderEvent<string & {}>, context: EventContext) => unknown;

/** What is called for each name. */
export type PollerListeners = {
  readonly [Name in PollerEventName]: Name extends keyof LifecycleEvents
    ? (payload: LifecycleEvents[Name]) => unknown
    : Name extends 'deadLetter'
      ? (letter: DeadLetter, context: EventContext) => unknown
      : Name extends KnownEventType
        ? (event: OrderEvent<Name>, context: EventContext) => unknown
        : (event: AnyOrderEvent, context: EventContext) => unknown;
};

/** The listener of a name: the event is narrowed by it. */
export type PollerListener<Name extends PollerEventName> = PollerListeners[Name];
