import type { CachedToken } from '../auth/cached-token.js';
import type { TokenPauses } from '../auth/token-manager.js';
import type { Grant } from '../events/grant.js';
import { Pace } from '../events/pace.js';
import type { Runs } from '../events/runs.js';
import type { Lane } from '../http/lane.js';
import type { StoreMemory } from '../wiring.js';
import type { FleetStore } from './fleet-store.js';
import type { Seat } from './seat.js';

/** What a fleet keeps of a store between two polls. Ten thousand of them are in memory, so it is small. */
export class StoreRecord implements StoreMemory {
  store: FleetStore;
  readonly pace = new Pace();
  storeScope: string | undefined;
  token: CachedToken | undefined;
  grant: Grant | undefined;
  lane: Lane | undefined;
  tokenPauses: TokenPauses | undefined;
  /** What a listener of a removed store with this client id still does. */
  runs: Runs | undefined;
  /** Keys of the events that were confirmed last. */
  confirmedKeys: readonly string[] | undefined;
  /** The objects of the store, while it has work or the application uses its client. */
  seat: Seat | undefined;
  /** The last seat, if the application may still use its client. */
  formerSeat: WeakRef<Seat> | undefined;
  /** Whether this process polls the store. */
  isPolled = false;
  /** Whether its seat is kept, because the application asked for the client. */
  isPinned = false;
  /** Whether it is leaving the fleet: polling must not begin again. */
  isRemoved = false;
  /** Whether it came from the option `stores`, which is read again, and not from `add`. */
  isFromSource: boolean;
  /** When it is due, see `Wheel`. */
  tick: number | undefined;
  /** How often polling began. A turn that was waiting when it ended belongs to an earlier run. */
  run = 0;
  /** When polling began, in epoch ms. */
  beganAt = 0;
  /** Events since then, without those that its seat counts. */
  handled = 0;
  acknowledged = 0;

  get storeId(): string {
    return this.store.storeId;
  }

  constructor(store: FleetStore, isFromSource: boolean) {
    this.store = store;
    this.isFromSource = isFromSource;
  }
}
