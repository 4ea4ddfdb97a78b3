import { StateError } from '../../errors/index.js';
import type { Database } from './driver.js';

/** `PRAGMA application_id` of our files. */
const APPLICATION_ID = 0x4f444c56; // 'ODLV'

/*
 * Instants are epoch milliseconds. `ends` is when a row has expired, `length`
 * the duration that it was made from: after the clock was set back, an end that
 * is further away than that counts as one that is exactly that far away.
 */

/** The n-th makes version n + 1 of the tables. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE "values" (key TEXT PRIMARY KEY, ends INTEGER NOT NULL, length INTEGER NOT NULL, value TEXT NOT NULL);
  CREATE TABLE quotas (
    key TEXT PRIMARY KEY,
    shut_ends INTEGER NOT NULL DEFAULT 0, shut_length INTEGER NOT NULL DEFAULT 0,
    holder TEXT, lease_ends INTEGER NOT NULL DEFAULT 0, lease_length INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE slots (
    key TEXT NOT NULL, id TEXT NOT NULL, ends INTEGER NOT NULL, length INTEGER NOT NULL,
    PRIMARY KEY (key, id)
  ) WITHOUT ROWID;
  CREATE TABLE scopes (scope INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
  CREATE TABLE marks (
    scope INTEGER NOT NULL, id TEXT NOT NULL, handled INTEGER NOT NULL, attempts INTEGER NOT NULL,
    ends INTEGER NOT NULL, length INTEGER NOT NULL,
    UNIQUE (scope, id)
  );
  CREATE INDEX values_by_end ON "values" (ends);
  CREATE INDEX marks_by_end ON marks (ends);
  `,
];

/** Makes the tables, or brings them to this version. Any number of processes may do it at once. */
export function migrate(database: Database): void {
  if (numberOf(database, 'user_version') === MIGRATIONS.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const sql of MIGRATIONS.slice(numberOf(database, 'user_version'))) database.exec(sql);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Ends a transaction that failed; SQLite may have done that itself. */
export function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The transaction has already ended.
  }
}

/**
 * Only reads.
 *
 * @throws {StateError} the file belongs to another program, or to a newer version of this one.
 */
export function throwIfForeign(database: Database, path: string): void {
  const hasTables = database.prepare('SELECT 1 FROM sqlite_master').all().length > 0;
  const version = numberOf(database, 'user_version');
  const isEmpty = !hasTables && version === 0;
  // Last: another process may make the tables between two of these statements.
  const isOurs = numberOf(database, 'application_id') === APPLICATION_ID;
  if (!isOurs && !isEmpty) {
    throw new StateError(`fileState: ${path} is a database of another program; give fileState another path`);
  }
  if (version <= MIGRATIONS.length) return;
  throw new StateError(
    `fileState: ${path} was written by a newer version of opendelivery-client (tables ${version}, this version knows ${MIGRATIONS.length}); install that version again, or give fileState another path`,
  );
}

/** A number in the header of the file. */
const numberOf = (database: Database, name: 'user_version' | 'application_id') =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0]);
