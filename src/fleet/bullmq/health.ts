import type { HubFleet } from '../fleet.js';

/** What a worker holds, and what it knows of the others. */
export interface FleetWorkerHealth {
  /** Shards that this process holds. */
  readonly shards: number;
  /** Processes of the queue that are alive, this one included; 0 before the first heartbeat. */
  readonly alive: number;
  /** How many shards this process holds at most: those of the queue, divided by `alive`. */
  readonly share: number;
  /** Stores that this process polls. */
  readonly stores: number;
}

/** How many stores this process polls. */
export function polledStores(fleet: HubFleet): number {
  const { polling, backingOff, standby, refused } = fleet.health();
  return polling + backingOff + standby + refused;
}
