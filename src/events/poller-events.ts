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
  readonly handled: number;
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
  readonly skipped: 'leased';
  /** When the lease ends unless it is renewed, in ms from now. */
  readonly retryAfterMs: number;
}

/** One poll → handle → acknowledge. */
export interface CompletedCycle {
  readonly skipped?: undefined;
  /** Events in the answer, each id once. */
  readonly received: number;
  /** Events whose listeners have all resolved in this cycle. */
  readonly handled: number;
  /** Events handled in an earlier cycle that came again and were only acknowledged again. */
  readonly redelivered: number;
  /** Events nobody listens to. */
  readonly unhandled: number;
  readonly acknowledged: number;
  /** Ids of this poll that are not confirmed: failed, held back, still running, or refused. */
  readonly unacknowledged: readonly string[];
  /** Of these, whose listeners failed, and why. */
  readonly failures: ReadonlyArray<{ readonly eventId: string; readonly error: unknown }>;
  readonly issues: readonly Issue[];
}

/** What a poller is doing; instants in whole epoch ms. */
export interface PollerHealth {
  readonly status: 'idle' | 'starting' | 'standby' | 'running' | 'paused' | 'stopping';
  readonly lastPolledAt: number | undefined;
  readonly nextPollAt: number | undefined;
  readonly consecutiveFailures: number;
  readonly lastError: unknown;
  /** Events in the hands of listeners. */
  readonly running: number;
  /** Events received and not confirmed. */
  readonly unacknowledged: number;
  readonly handled: number;
  readonly acknowledged: number;
}

/** An event that used up `maxAttempts`. */
export interface DeadLetter {
  readonly event: OrderEvent;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: unknown;
}

/** An error of this package, by its `code`, or whatever a listener has thrown. */
export type PollerError = AnyHubError | (Error & { readonly code?: undefined });

/** Names that only observe; what their listeners throw harms nothing. */
export type LifecycleEvents = {
  /** The first poll succeeded. */
  started: { readonly at: number };
  /** Another poller has the store's lease; emitted once, until this one has acquired it. */
  standby: { readonly retryAfterMs: number };
  polled: { readonly received: number; readonly issues: readonly Issue[]; readonly durationMs: number };
  acknowledged: { readonly eventIds: readonly string[] };
  acknowledgeFailed: { readonly eventIds: readonly string[]; readonly error: unknown };
  listenerFailed: { readonly event: OrderEvent; readonly error: unknown; readonly attempt: number };
  unhandled: { readonly event: OrderEvent; readonly acknowledged: boolean };
  /** Something in a poll deviates from Spec §2.11; events without usable ids are left out. */
  invalid: { readonly issues: readonly Issue[] };
  backoff: { readonly error: unknown; readonly delayMs: number; readonly failures: number };
  recovered: { readonly failures: number };
  error: PollerError;
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
