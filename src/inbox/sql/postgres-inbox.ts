import { object, resolve } from '../../options/checks.js';
import type { Inbox } from '../inbox.js';
import { type Database, type Row, TRANSACTION_SETTINGS } from './database.js';
import { tablesOf } from './schema.js';
import { DEFAULT_SCHEMA, inboxOf, schemaCheck } from './sql-inbox.js';
import { textOf } from './statement.js';

/** A connection of a pool, with which an application writes in `commit`. */
export interface PostgresClient {
  /** Runs one statement with its parameters. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly command?: string }>;
  /** Adds a listener. Absent: the connection emits no errors. */
  on?(name: 'error', listener: (error: Error) => void): unknown;
  /** Removes it. */
  off?(name: 'error', listener: (error: Error) => void): unknown;
}

/** The part of node-postgres' `Pool` that an inbox uses. */
export interface PostgresInboxPool<Client extends PostgresClient = PostgresClient> extends PostgresClient {
  /** Takes a connection out of the pool. */
  connect(): Promise<Client & { release(error?: Error | boolean): void }>;
  /** Not used. With it, TypeScript finds the type of the connection in node-postgres, which declares both. */
  connect(callback: never): unknown;
}

/** Options of `postgresInbox`. */
export interface PostgresInboxOptions {
  /** The schema of the tables. Default 'opendelivery'. */
  readonly schema?: string | undefined;
}

const checkPool = object<PostgresInboxPool>(
  "a Pool of node-postgres (new Pool({ connectionString: 'postgres://…' })), or an object with its query() and connect()",
  'connect',
);

/** What the pool of node-postgres also emits. */
interface PoolEvents {
  on?(name: 'connect', listener: (client: PostgresClient) => void): unknown;
}

const poolsWithListener = new WeakSet<object>();

/**
 * An inbox in PostgreSQL, for any number of processes. In `commit`, `tx` is a connection of the pool.
 *
 * @param pool - the application's pool, which the application ends.
 * @throws {ConfigurationError} `pool` is no pool, or an option is wrong.
 * @example
 * const inbox = postgresInbox(new Pool({ connectionString: process.env.DATABASE_URL }));
 * await inbox.migrate();
 */
export function postgresInbox<Client extends PostgresClient>(
  pool: PostgresInboxPool<Client>,
  options: PostgresInboxOptions = {},
): Inbox<Client> {
  const { schema } = resolve<{ readonly schema: string }>(
    '',
    options,
    { schema: DEFAULT_SCHEMA },
    { schema: schemaCheck },
  );
  checkPool('pool', pool);
  if (!poolsWithListener.has(pool)) {
    poolsWithListener.add(pool);
    // Without a listener, Node ends the process. The next statement reports what is wrong. A connection has none of its
    // pool any more when it is taken out, and may break in that moment.
    pool.on?.('error', () => {});
    (pool as unknown as PoolEvents).on?.('connect', (client) => client.on?.('error', () => {}));
  }
  const database: Database<Client> = {
    isSynchronous: false,
    query: async (statement, tx) => {
      const text = textOf(statement, 'postgres');
      return (await (tx ?? pool).query(text, [...statement.values])).rows as readonly Row[];
    },
    async transaction<Result>(run: (tx: Client) => Result) {
      const client = await pool.connect();
      let broken: Error | undefined;
      // A connection that breaks while the callback waits for something else emits it, and Node would end the process.
      const onError = (error: Error) => {
        broken = error;
      };
      client.on?.('error', onError);
      try {
        await client.query(`begin; ${TRANSACTION_SETTINGS}; savepoint opendelivery`);
        const result = await run(client);
        // Alone, `commit` succeeds also if there is no transaction any more, or one that Postgres has given up.
        await client.query('release savepoint opendelivery; commit').catch((cause: { code?: unknown }) => {
          throw /^(?:25P0[12]|3B001)$/.test(String(cause.code)) ? new Error(NOT_COMMITTED, { cause }) : cause;
        });
        return result as Result;
      } catch (error) {
        // A connection on which this fails is not used again.
        await client.query('rollback').catch((cause: Error) => {
          broken = cause;
        });
        throw error;
      } finally {
        client.off?.('error', onError);
        client.release(broken);
      }
    },
  };
  return inboxOf(tablesOf('postgres', schema), database);
}

/** Why a transaction that went well cannot be committed. */
const NOT_COMMITTED =
  'Postgres cannot commit: a statement of the transaction had failed, or the callback of commit has ended it. Do not catch that error in the callback (use `on conflict do nothing`, or a savepoint); to roll back, throw';
