import { object } from '../../options/checks.js';
import type { Inbox } from '../inbox.js';
import type { Row } from './database.js';
import { tablesOf } from './schema.js';
import { DEFAULT_SCHEMA, inboxOf } from './sql-inbox.js';
import { type Fragment, textOf } from './statement.js';

/** The part of a database of node:sqlite, better-sqlite3, libsql or bun:sqlite that an inbox uses. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): {
    /** Runs it and returns its rows. */
    all(...parameters: never[]): unknown;
  };
}

const checkDatabase = object<SqliteDatabase>(
  "a database of node:sqlite, better-sqlite3, libsql or bun:sqlite (new DatabaseSync('orders.db'))",
  'prepare',
);

/**
 * An inbox in a database of SQLite, for the processes of one host. In `commit`, `tx` is this database, and the callback
 * is synchronous. With `synchronous = normal`, its own transactions are `full`.
 *
 * @param database - the application's, which the application closes. For several processes: in WAL mode, with a busy
 * timeout.
 * @throws {ConfigurationError} `database` is no database.
 * @example
 * const inbox = sqliteInbox(new DatabaseSync('orders.db', { timeout: 5000 }));
 * await inbox.migrate();
 */
export function sqliteInbox<Database extends SqliteDatabase>(database: Database): Inbox<Database> {
  checkDatabase('database', database);
  const all = (statement: Fragment): readonly Row[] => {
    const text = textOf(statement, 'sqlite');
    // Some drivers refuse rows of a statement that has none.
    if (/^(?:create|alter)/i.test(text)) {
      database.exec(text);
      return [];
    }
    return database.prepare(text).all(...(statement.values as never[])) as readonly Row[];
  };
  const transaction = <Result>(run: (tx: Database) => Result, begin = 'begin immediate'): Result => {
    const [setting] = database.prepare('pragma synchronous').all() as Row[];
    // What is stored is acknowledged: a power cut must not lose it, as it could in WAL mode with better-sqlite3's default.
    const isNormal = Number(setting?.synchronous) === NORMAL;
    if (isNormal) database.exec('pragma synchronous = full');
    try {
      database.exec(begin);
      try {
        const result = run(database);
        database.exec('commit');
        return result;
      } catch (error) {
        tryTo(database, 'rollback');
        throw error;
      }
    } finally {
      // The application's own writes are as it wants them.
      if (isNormal) tryTo(database, 'pragma synchronous = normal');
    }
  };
  return inboxOf<Database>(tablesOf('sqlite', DEFAULT_SCHEMA), {
    isSynchronous: true,
    // Alone, it must not become part of a transaction that the application has open on this connection. A statement
    // that only reads does not wait for other programs that write: the event loop would wait with it.
    query: (statement, tx) =>
      tx ? all(statement) : transaction(() => all(statement), isRead(statement) ? 'begin' : undefined),
    transaction: (run) => transaction(run),
  });
}

const isRead = (statement: Fragment): boolean => textOf(statement, 'sqlite').startsWith('select ');

/** Of `pragma synchronous`: in WAL mode a commit returns before it is on the disk. */
const NORMAL = 1;

/** It may fail: SQLite has ended the transaction itself, or the application is reading rows. */
function tryTo(database: SqliteDatabase, statement: string): void {
  try {
    database.exec(statement);
  } catch {
    // The error before it says more.
  }
}
