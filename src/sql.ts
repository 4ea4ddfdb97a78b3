/**
 * The state in PostgreSQL, for several processes; and the inbox, in PostgreSQL or SQLite.
 *
 * @module opendelivery-client/sql
 */
export type {
  CommandHistory,
  CommandStatus,
  Commit,
  DeadEvent,
  EventHistory,
  Inbox,
  InboxStats,
  OrderHistory,
  Outbox,
  RedriveRequest,
  StoredStatus,
} from './inbox/inbox.js';
export {
  type PostgresClient,
  type PostgresInboxOptions,
  type PostgresInboxPool,
  postgresInbox,
} from './inbox/sql/postgres-inbox.js';
export { type SqlInboxOptions, sqlInbox } from './inbox/sql/sql-inbox.js';
export { type SqliteDatabase, sqliteInbox } from './inbox/sql/sqlite-inbox.js';
export type { SqlValue } from './inbox/sql/statement.js';
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
