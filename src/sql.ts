/**
 * The state in PostgreSQL, for several processes.
 *
 * @module opendelivery-client/sql
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
export {
  type PostgresPool,
  type PostgresState,
  type PostgresStateOptions,
  postgresState,
} from './state/postgres/postgres-state.js';
