/**
 * The state in Redis, for several processes.
 *
 * @module opendelivery-client/redis
 */
export type {
  Lease,
  LeaseRequest,
  Mark,
  MarkChange,
  MaybePromise,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
  State,
} from './state/port.js';
export type { IoredisClient, NodeRedisClient, RedisClient } from './state/redis/client.js';
export { type RedisStateOptions, redisState } from './state/redis/redis-state.js';
