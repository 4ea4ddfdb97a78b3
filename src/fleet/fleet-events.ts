import type { HubEventListener, ListenersOf, PollerEventName } from '../engine/lifecycle-events.js';
import type { ContextOf, EventContext } from '../engine/reports.js';

/** The second argument of an observer: which store of the fleet it is about. `fleet.hub(storeId)` is its client. */
export interface StoreContext {
  /** Your own name of the store. */
  readonly storeId: string;
}

/** The second argument of a fleet's listeners. */
export interface FleetEventContext extends EventContext, StoreContext {}

/** The listener of a hub's own event type. */
export type FleetHubEventListener<Context = FleetEventContext> = HubEventListener<Context>;

/** With an inbox (`Tx` is not never), its `commit` is there. */
export type FleetContextOf<Tx> = ContextOf<Tx> & StoreContext;

/** The listener of each name: as a poller's, with the store in the second argument. */
export type FleetListeners<Context = FleetEventContext> = ListenersOf<
  Context,
  FleetEventContext,
  [store: StoreContext]
>;

/** The listener of one name; the name narrows the event. */
export type FleetListener<
  Name extends PollerEventName,
  Context = FleetEventContext,
> = FleetListeners<Context>[Name];
