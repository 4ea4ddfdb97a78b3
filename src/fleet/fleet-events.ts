import type {
  DeadLetter,
  LifecycleEvents,
  PollerError,
  PollerEventName,
} from '../engine/lifecycle-events.js';
import type { ContextOf, ErrorContext, EventContext } from '../engine/reports.js';
import type { AnyOrderEvent, OrderEvent } from '../schemas/event.js';
import type { KnownEventType } from '../schemas/event-types.js';

/** The second argument of an observer: which store of the fleet it is about. `fleet.hub(storeId)` is its client. */
export interface StoreContext {
  /** Your own name of the store. */
  readonly storeId: string;
}

/** The second argument of a fleet's listeners. */
export interface FleetEventContext extends EventContext, StoreContext {}

/** The listener of a hub's own event type. */
export type FleetHubEventListener<Context = FleetEventContext> = (
  event: OrderEvent<string & {}>,
  context: Context,
) => unknown;

/** With an inbox (`Tx` is not never), its `commit` is there. */
export type FleetContextOf<Tx> = ContextOf<Tx> & StoreContext;

/** The listener of each name: as a poller's, with the store in the second argument. */
export type FleetListeners<Context = FleetEventContext> = {
  readonly [Name in PollerEventName]: Name extends 'error'
    ? (error: PollerError, context: ErrorContext) => unknown
    : Name extends keyof LifecycleEvents
      ? (payload: LifecycleEvents[Name], store: StoreContext) => unknown
      : Name extends 'deadLetter'
        ? (letter: DeadLetter, context: FleetEventContext) => unknown
        : Name extends KnownEventType
          ? (event: OrderEvent<Name>, context: Context) => unknown
          : (event: AnyOrderEvent, context: Context) => unknown;
};

/** The listener of one name; the name narrows the event. */
export type FleetListener<
  Name extends PollerEventName,
  Context = FleetEventContext,
> = FleetListeners<Context>[Name];
