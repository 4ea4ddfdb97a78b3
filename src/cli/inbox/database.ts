import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { ConfigurationError } from '../../errors/index.js';
import type { Inbox } from '../../inbox/inbox.js';
import { type PostgresInboxPool, postgresInbox } from '../../inbox/sql/postgres-inbox.js';
import { type SqliteDatabase, sqliteInbox } from '../../inbox/sql/sqlite-inbox.js';
import { findDriver } from '../../state/sqlite/driver.js';
import type { Terminal } from '../terminal.js';

/** An inbox that a command reads, and what closes its database. */
export interface OpenedDatabase {
  readonly inbox: Inbox;
  readonly close: () => Promise<void>;
}

/** @param database - the URL of a Postgres, or the path of a file of SQLite. */
export async function openDatabase(database: string, terminal: Terminal): Promise<OpenedDatabase> {
  const opened = /^postgres(?:ql)?:\/\//i.test(database)
    ? openPostgres(database, terminal)
    : openFile(database);
  opened.inbox.tables.use(terminal.clock);
  return opened;
}

function openPostgres(url: string, terminal: Terminal): OpenedDatabase {
  // The password of the URL must not be shown in an error.
  if (URL.canParse(url)) terminal.redactor.add(new URL(url).password);
  let Pool: new (options: object) => PostgresInboxPool & { end(): Promise<void> };
  try {
    // The application's, in whose folder the command is called.
    ({ Pool } = createRequire(resolve('package.json'))('pg'));
  } catch {
    throw new ConfigurationError(
      '--database',
      'of Postgres needs node-postgres in this folder: npm install pg',
    );
  }
  const pool = new Pool({ connectionString: url, max: 1 });
  return { inbox: postgresInbox(pool), close: () => pool.end() };
}

function openFile(path: string): OpenedDatabase {
  if (!existsSync(path)) throw new ConfigurationError('--database', `${path} does not exist`);
  const database = findDriver().open(path) as unknown as SqliteDatabase & { close(): unknown };
  // Processes of the application may be writing.
  database.exec('pragma busy_timeout = 5000');
  return { inbox: sqliteInbox(database), close: async () => void database.close() };
}
