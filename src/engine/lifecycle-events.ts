import type { AnyHubError, Issue } from '../errors/index.js';
import type { EventNames } from '../observe/observers.js';
import type { AnyOrderEvent, OrderEvent } from '../schemas/event.js';
import type { KnownEventType } from '../schemas/event-types.js';
import type { ErrorContext, EventContext, StopReport } from './reports.js';

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
  /** With an inbox: a command that `commit` has recorded was refused by the hub. It is not sent again. */
  commandRefused: {
    /** The order. */
    readonly orderId: string;
    /** As the last segment of the path: 'confirm', 'dispatch', … */
    readonly command: string;
    /** Why; its `outcome` is 'unknown' if the hub did not answer, and nothing shows what became of the command. */
    readonly error: unknown;
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

/** The name for listeners of all event types. */
export const ALL_TYPES = 'event';
/** The name for listeners of events that used up `maxAttempts`. */
export const DEAD_LETTER = 'deadLetter';

export const LIFECYCLE_NAMES: EventNames<LifecycleEvents> = {
  started: true,
  standby: true,
  polled: true,
  acknowledged: true,
  acknowledgeFailed: true,
  listenerFailed: true,
  unhandled: true,
  invalid: true,
  pushed: true,
  commandRefused: true,
  backoff: true,
  recovered: true,
  error: true,
  stopped: true,
};

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
export type HubEventListener<Context = EventContext> = (
  event: OrderEvent<string & {}>,
  context: Context,
) => unknown;

/** The listener of each name. `Observed` is what observers get beside the event: in a fleet, which store it is about. */
export type ListenersOf<Context, DeadLetterContext, Observed extends readonly unknown[]> = {
  readonly [Name in PollerEventName]: Name extends 'error'
    ? (error: PollerError, context: ErrorContext) => unknown
    : Name extends keyof LifecycleEvents
      ? (payload: LifecycleEvents[Name], ...observed: Observed) => unknown
      : Name extends 'deadLetter'
        ? (letter: DeadLetter, context: DeadLetterContext) => unknown
        : Name extends KnownEventType
          ? (event: OrderEvent<Name>, context: Context) => unknown
          : (event: AnyOrderEvent, context: Context) => unknown;
};

/** The listener of each name. */
export type PollerListeners<Context = EventContext> = ListenersOf<Context, EventContext, []>;

/** The listener of one name; the name narrows the event. */
export type PollerListener<
  Name extends PollerEventName,
  Context = EventContext,
> = PollerListeners<Context>[Name];
