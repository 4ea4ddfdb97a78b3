import type { HubFleet } from '../fleet.js';
import type { FleetHealth } from '../fleet-health.js';

/** What a worker holds, what it knows of the others, and how its fleet is doing. */
export interface FleetWorkerHealth extends FleetHealth {
  /** Shards that this process holds. */
  readonly shards: number;
  /** Processes of the queue that are alive, this one included; 0 before the first heartbeat. */
  readonly alive: number;
  /** How many shards this process holds at most: those of the queue, divided by `alive`. */
  readonly share: number;
  /** Stores that this process polls, and not all stores of the fleet. */
  readonly stores: number;
}

/** The fleet's health; `stores`: those that this process polls. */
export function polledHealth(fleet: HubFleet): FleetHealth {
  const health = fleet.health();
  const { polling, backingOff, standby, refused } = health;
  return { ...health, stores: polling + backingOff + standby + refused };
}
