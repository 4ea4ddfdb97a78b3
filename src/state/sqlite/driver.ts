// Not `createRequire` by its name: bundles declare that in their banner.
import * as nodeModule from 'node:module';
import { ConfigurationError } from '../../errors/index.js';
import { codeOf } from './failure.js';

export type SqlValue = string | number | null;

/** A prepared statement, whose parameters are all `?`: better-sqlite3 takes `?1` for a name. */
export interface Statement {
  run(...parameters: readonly SqlValue[]): unknown;
  /** The first row; undefined or null without a row. */
  get(...parameters: readonly SqlValue[]): unknown;
  all(...parameters: readonly SqlValue[]): readonly unknown[];
}

export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

type Open = new (path: string) => Database;

/** The libraries, the preferred one first, and the class of a database in each. */
const DRIVERS: ReadonlyArray<readonly [name: string, classOf: (library: Library) => unknown]> = [
  ['node:sqlite', ({ DatabaseSync }) => DatabaseSync],
  ['bun:sqlite', ({ Database }) => Database],
  ['better-sqlite3', (library) => library],
  ['libsql', (library) => library],
];

interface Library {
  readonly DatabaseSync?: unknown;
  readonly Database?: unknown;
}

export interface Driver {
  readonly name: string;
  open(path: string): Database;
}

let found: Driver | undefined;

/**
 * The first library for SQLite that works here.
 *
 * @param option - what needs it, for the error.
 * @throws {ConfigurationError} no library can be loaded; the message says what to install.
 */
export function findDriver(option = 'fileState'): Driver {
  const failures: string[] = [];
  for (const [name, classOf] of found ? [] : DRIVERS) {
    try {
      const Class = classOf(load(name)) as Open;
      // A binary for another version of Node fails here, not when it is loaded.
      new Class(':memory:').close();
      found = { name, open: (path) => new Class(path) };
      break;
    } catch (error) {
      if (!isAbsent(error)) failures.push(` (${name} is installed and fails: ${messageOf(error)})`);
    }
  }
  if (found) return found;
  throw new ConfigurationError(
    option,
    `needs SQLite, which this runtime (Node ${process.versions.node}) does not have: npm install better-sqlite3@12 or libsql, or use Node 22.13 or later${failures.join('')}`,
  );
}

function load(name: string): Library {
  // Bundlers that make CommonJS leave the address empty.
  const from = import.meta.url ?? `${process.cwd()}/`;
  return process.getBuiltinModule?.(name) ?? nodeModule.createRequire(from)(name);
}

const ABSENT = ['MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE'];

const isAbsent = (error: unknown) => ABSENT.includes(codeOf(error));

const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
