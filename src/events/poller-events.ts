import type { Issue } from '../errors.js';
import type { EventType, KnownEventType, OrderEvent } from '../schemas/event.js';

/** What a listener is told beside the event. */
export interface EventContext {
  /** How often this event has been handed to listeners in this process, from 1. */
  readonly attempt: number;
  /** Whether the hub has sent it before and it was not handled then. */
  readonly redelivered: boolean;
  /** Aborts when `listenerTimeoutMs` is over or `stop` gives up waiting. */
  readonly signal: AbortSignal;
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

/** One poll → handle → acknowledge. */
export interface CycleReport {
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

/** What a poller is doing; instants in epoch ms. */
export interface PollerHealth {
  readonly status: 'idle' | 'starting' | 'running' | 'paused' | 'stopping';
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

/** Names that only observe; what their listeners throw harms nothing. */
export type LifecycleEvents = {
  /** The first poll succeeded. */
  started: { readonly at: number };
  polled: { readonly received: number; readonly issues: readonly Issue[]; readonly durationMs: number };
  acknowledged: { readonly eventIds: readonly string[] };
  acknowledgeFailed: { readonly eventIds: readonly string[]; readonly error: unknown };
  listenerFailed: { readonly event: OrderEvent; readonly error: unknown; readonly attempt: number };
  unhandled: { readonly event: OrderEvent; readonly acknowledged: boolean };
  /** Something in a poll deviates from Spec §2.11; events without usable ids are left out. */
  invalid: { readonly issues: readonly Issue[] };
  backoff: { readonly error: unknown; readonly delayMs: number; readonly failures: number };
  recovered: { readonly failures: number };
  error: Error;
  stopped: StopReport;
};

export const LIFECYCLE_NAMES: ReadonlySet<string> = new Set<keyof LifecycleEvents>([
  'started',
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

/** A type of Spec §6.1, `event` for all types, a lifecycle name, or a type the hub adds. */
export type PollerEventName = KnownEventType | keyof LifecycleEvents | 'event' | 'deadLetter' | (string & {});

/** The listener of a name: the event is narrowed by it. */
export type PollerListener<Name extends PollerEventName> = Name extends keyof LifecycleEvents
  ? (payload: LifecycleEvents[Name]) => unknown
  : Name extends 'deadLetter'
    ? (letter: DeadLetter, context: EventContext) => unknown
    : Name extends KnownEventType
      ? (event: OrderEvent<Name>, context: EventContext) => unknown
      : (event: OrderEvent<EventType>, context: EventContext) => unknown;
