import { StateError } from '../../errors/index.js';

const NO_TABLES =
  'the tables of the state are missing: call `await state.migrate()` once, before the first use; if you have done so, check the option schema';
const OVERLOADED =
  'Postgres took too long: check its load, its locks, and statement_timeout and lock_timeout';
const NO_LOGIN = 'check the user, the password and the database of the pool';
const NO_CONNECTION_LEFT =
  'Postgres has no connection left: lower the max of the pools, raise max_connections, or use PgBouncer';
const UNREACHABLE =
  'Postgres cannot be reached: check that it is running and that the pool has the right address';

/** PgBouncer gives all its errors the SQLSTATE of a broken protocol. */
const PGBOUNCER_REMEDIES: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [
    /startup parameter/,
    'PgBouncer takes no options of a pool: set statement_timeout for the role, with `alter role … set`',
  ],
  [/no more connections/, 'lower the max of the pools, or raise max_client_conn of PgBouncer'],
  [
    /query_wait_timeout/,
    'no connection to Postgres was free in time: raise default_pool_size of PgBouncer; or Postgres cannot be reached',
  ],
];

/** What an SQLSTATE means for the application, by its first two or its five characters. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['3F000', NO_TABLES],
  ['42883', NO_TABLES],
  ['42P01', NO_TABLES],
  ['42501', 'the user of the pool lacks a permission; docs/postgres-state.md lists the ones that it needs'],
  ['25006', 'this server accepts no writes: connect the pool to the primary, not to a replica'],
  [
    '25000',
    'set default_transaction_isolation to read committed for the user of the pool, with `alter role … set`',
  ],
  ['57014', OVERLOADED],
  ['55P03', OVERLOADED],
  ['57P03', 'Postgres is starting or stopping: wait until it is ready'],
  ['53100', 'the disk of Postgres is full: check its log and the free space'],
  ['53200', 'Postgres is out of memory: check its log'],
  ['53300', NO_CONNECTION_LEFT],
  ['3D000', NO_LOGIN],
  ['28', NO_LOGIN],
  ['08', UNREACHABLE],
  ['57', UNREACHABLE],
]);

/** Errors without SQLSTATE, which the driver makes. The first match counts. */
const DRIVER_REMEDIES: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [
    /timeout exceeded when trying to connect/i,
    'no connection was free in time: raise the max of the pool, and look for code that does not release its connections; or Postgres cannot be reached',
  ],
  [/query read timeout/i, OVERLOADED],
  [/after calling end/i, 'the pool was ended: end it after `hub.close()`'],
  [/password/i, NO_LOGIN],
  [
    /ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|timed? ?out|socket|connection|connect\b|closed/i,
    UNREACHABLE,
  ],
];

/**
 * An error of node-postgres as a StateError that says what to do.
 *
 * Only name, message and code are kept: `detail`, `where` and the query of an
 * error can contain a token.
 */
export function toStateError(error: unknown): StateError {
  const { name, message, code } = describe(error);
  const cause = Object.assign(new Error(message), code ? { name, code } : { name });
  const remedy = remedyOf(code, message);
  return new StateError(`postgresState: ${message}${remedy ? `; ${remedy}` : ''}`, { cause });
}

function remedyOf(code: string, message: string): string | undefined {
  const isFromServer = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  const table = code === '08P01' ? PGBOUNCER_REMEDIES : isFromServer ? [] : DRIVER_REMEDIES;
  const found = table.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
  return found ?? REMEDIES.get(code) ?? REMEDIES.get(code.slice(0, 2));
}

function describe(error: unknown): { name: string; message: string; code: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: '' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // Node's AggregateError for a refused connection has no message.
  return { name: error.name, message: error.message || code || error.name, code };
}
