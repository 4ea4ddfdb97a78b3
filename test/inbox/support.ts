import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import Database from 'libsql';
import { type PostgresInboxPool, type SqliteDatabase, sqliteInbox } from 'opendelivery-client/sql';
import type { OpenedInbox } from 'opendelivery-client/testing';
import { onTestFinished } from 'vitest';

interface Closable extends SqliteDatabase {
  close(): unknown;
}

type Open = new (path: string) => Closable;

const load = createRequire(import.meta.url);

/** The libraries for SQLite that this Node has, and how each opens a database. */
export function sqliteDrivers(): { readonly name: string; readonly Database: Open }[] {
  const drivers = [{ name: 'libsql', Database: load('libsql') as Open }];
  const builtin = process.getBuiltinModule?.('node:sqlite') as { DatabaseSync: Open } | undefined;
  return builtin ? [...drivers, { name: 'node:sqlite', Database: builtin.DatabaseSync }] : drivers;
}

/** A database in memory, until the test ends. */
export function memoryDatabase() {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  return database;
}

/** An inbox in such a database. */
export async function memoryInbox() {
  const database = memoryDatabase();
  const inbox = sqliteInbox(database);
  await inbox.migrate();
  return { database, inbox };
}

/** An inbox in a new file; `reopen` has a connection of its own, as another process has. */
export async function openSqliteInbox(Library: Open): Promise<OpenedInbox & { readonly database: Closable }> {
  const directory = mkdtempSync(join(tmpdir(), 'inbox-'));
  const opened: Closable[] = [];
  const open = async () => {
    const database = new Library(join(directory, 'orders.db'));
    opened.push(database);
    database.exec('pragma journal_mode = wal');
    database.exec('pragma busy_timeout = 5000');
    // No test here loses its power supply.
    database.exec('pragma synchronous = off');
    const inbox = sqliteInbox(database);
    await inbox.migrate();
    return inbox;
  };
  const inbox = await open();
  return {
    inbox,
    database: opened[0] as Closable,
    reopen: open,
    close: async () => {
      for (const database of opened) database.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** PGlite as a pool with one connection: while somebody has it, everybody else waits. */
export function poolOf(database: PGlite): PostgresInboxPool {
  let last = Promise.resolve();
  const take = async () => {
    const before = last;
    let release = () => {};
    last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  };
  return {
    async query(text, values) {
      const release = await take();
      return database.query(text, values).finally(release);
    },
    async connect() {
      const release = await take();
      const query: PostgresInboxPool['query'] = async (text, values) => {
        if (values) return database.query(text, values);
        await database.exec(text);
        return { rows: [] };
      };
      return { query, release };
    },
  };
}
