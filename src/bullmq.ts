/**
 * Shares the stores of a fleet among many processes, with BullMQ.
 *
 * @module opendelivery-client/bullmq
 */
export { type FleetWorker, type FleetWorkerHealth, fleetWorker } from './fleet/bullmq/fleet-worker.js';
export type {
  FleetWorkerOptions,
  RedisOptions,
  WorkerConnection,
  WorkerFleet,
} from './fleet/bullmq/options.js';
