import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the application uses of a database of SQLite; parameters are `?`. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...parameters: readonly (string | number | null)[]): unknown;
    get(...parameters: readonly (string | number | null)[]): unknown;
    all(...parameters: readonly (string | number | null)[]): unknown[];
  };
  close(): unknown;
}

type Open = new (path: string) => Database;

/** Node's own SQLite; libsql where Node does not have it: before 22.13. */
async function findSqlite(): Promise<Open> {
  const builtin = process.getBuiltinModule?.('node:sqlite') as { readonly DatabaseSync: Open } | undefined;
  return builtin?.DatabaseSync ?? ((await import('libsql')).default as unknown as Open);
}

/** @param dataDir - the directory, for one process at a time; undefined: in memory. */
export async function openDatabase(dataDir: string | undefined): Promise<Database> {
  const Sqlite = await findSqlite();
  if (dataDir) mkdirSync(dataDir, { recursive: true });
  const database = new Sqlite(dataDir ? join(dataDir, 'orders.db') : ':memory:');
  // So that `npx opendelivery inbox … --database orders.db` can read it meanwhile.
  database.exec('pragma journal_mode = wal');
  database.exec('pragma busy_timeout = 5000');
  return database;
}
