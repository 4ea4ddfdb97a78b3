import { ConfigurationError } from '../../errors/index.js';
import { type Check, functionOf, number, oneOf, resolve, string } from '../../options/checks.js';
import { fromStoredText, toStoredText } from '../../state/stored-text.js';
import { systemClock } from '../../time/clock.js';
import type {
  CommandHistory,
  CommandStatus,
  DeadEvent,
  EventHistory,
  Inbox,
  RedriveRequest,
  StoredStatus,
} from '../inbox.js';
import { FOREIGN_TABLE, inboxError } from '../inbox-error.js';
import { text } from '../outbox.js';
import { PRUNED_AT_ONCE, pruneOf } from './claims.js';
import { type Database, type Row, rowsOf, TRANSACTION_SETTINGS } from './database.js';
import { migrate, ofOrder, type Tables, tablesOf } from './schema.js';
import { at, type Fragment, raw, type SqlValue, sql, textOf } from './statement.js';
import { SqlTables } from './tables.js';

/** How an inbox reaches its database. */
export interface SqlInboxOptions<Tx> {
  /** Which SQL the database understands. */
  readonly dialect: 'postgres' | 'sqlite';
  /**
   * Runs one statement and resolves to its rows, as objects.
   *
   * @param sql - with `$1`, `$2`, … in Postgres, and `?` in SQLite.
   * @param parameters - strings, numbers and null.
   * @param tx - what `transaction` has passed; undefined: outside of a transaction.
   */
  readonly query: (
    sql: string,
    parameters: SqlValue[],
    tx: Tx | undefined,
  ) => PromiseLike<readonly unknown[]> | readonly unknown[];
  /** Calls `run` in a transaction, commits when it has resolved, and rolls back when it has rejected. */
  readonly transaction: <Result>(run: (tx: Tx) => Promise<Result>) => PromiseLike<Result>;
  /** The schema of the tables in Postgres. Default 'opendelivery'. */
  readonly schema?: string | undefined;
}

/** The name of a schema, which stands in the statements. */
export const schemaCheck = string(
  "the name of a schema such as 'opendelivery': at most 63 letters, digits, _ and -",
  /^[\w-]{1,63}$/,
);

export const DEFAULT_SCHEMA = 'opendelivery';

/**
 * An inbox in any database of one of the two dialects, with whatever the application uses to reach it: Prisma, Drizzle,
 * Kysely, TypeORM. docs/inbox-libraries.md has these four.
 *
 * @throws {ConfigurationError} an option is missing, unknown or wrong.
 */
export function sqlInbox<Tx>(options: SqlInboxOptions<Tx>): Inbox<Tx> {
  const { dialect, query, transaction, schema } = resolve<Partial<SqlInboxOptions<Tx>>>(
    '',
    options,
    {},
    {
      dialect: oneOf('postgres', 'sqlite'),
      query: functionOf<SqlInboxOptions<Tx>['query']>(
        'a function (sql, parameters, tx) that resolves to an array of rows',
      ),
      transaction: functionOf<SqlInboxOptions<Tx>['transaction']>(
        'a function (run) that calls run with the client of a transaction',
      ),
      schema: schemaCheck,
    },
  );
  if (!dialect || !query || !transaction) {
    const name = Object.entries({ dialect, query, transaction }).find(([, value]) => !value)?.[0] as string;
    throw new ConfigurationError(name, 'is missing; sqlInbox needs dialect, query and transaction');
  }
  return inboxOf<Tx>(tablesOf(dialect, schema ?? DEFAULT_SCHEMA), {
    isSynchronous: false,
    query: async (statement, tx) =>
      rowsOf(await query(textOf(statement, dialect), [...statement.values], tx)),
    transaction: (run) =>
      transaction(async (tx) => {
        if (dialect === 'postgres') await query(TRANSACTION_SETTINGS, [], tx);
        const result = await run(tx);
        // If a statement has failed and the callback has caught that, Postgres rolls back and reports no error.
        if (dialect === 'postgres') await query('select 1', [], tx);
        return result;
      }) as never,
  });
}

/** The inbox whose tables are in this database. */
export function inboxOf<Tx>(tables: Tables, database: Database<Tx>): Inbox<Tx> {
  const { inbox, outbox } = tables;
  const steps = new SqlTables<Tx>(tables, database);
  const clock = () => steps.clock ?? systemClock;
  const query = async (statement: Fragment) => {
    try {
      return await database.query(statement);
    } catch (cause) {
      throw inboxError(cause, 'call it again when it can be');
    }
  };
  return {
    tables: steps,

    async migrate() {
      try {
        await database.transaction((tx) => migrate(tables, database, tx));
      } catch (cause) {
        throw inboxError(cause, 'call it again when it can be', undefined, FOREIGN_TABLE);
      }
    },

    async stats(options = {}) {
      const { storeId } = resolve<{ storeId?: string }>('', options, {}, { storeId: text });
      const counts = await query(sql`select status, count(*) as count, min(received_at) as oldest
from ${inbox} where handled_at is null ${ofStore(storeId)} group by status
union all
select 'commands', count(*), null from ${outbox} where answered_at is null ${ofStore(storeId)}`);
      const countOf = (status: StoredStatus | 'commands') =>
        Number(counts.find((row) => row.status === status)?.count ?? 0);
      const oldest = counts
        .filter(({ status, oldest }) => status !== 'dead' && typeof oldest === 'string')
        .map(({ oldest }) => Date.parse(String(oldest)));
      return {
        waiting: countOf('waiting'),
        running: countOf('running'),
        failed: countOf('failed'),
        dead: countOf('dead'),
        commands: countOf('commands'),
        oldestMs: oldest.length === 0 ? 0 : Math.max(0, Math.round(clock().now() - Math.min(...oldest))),
      };
    },

    async dead(options = {}) {
      const { storeId, limit } = resolve<{ storeId?: string; limit: number }>(
        '',
        options,
        { limit: 100 },
        { storeId: text, limit: number({ min: 1, integer: true }) },
      );
      const rows =
        await query(sql`select * from ${inbox} where handled_at is null and status = 'dead' ${ofStore(storeId)}
order by failed_at desc, id desc limit ${limit}`);
      return rows.map(deadOf);
    },

    async redrive(request) {
      const rows = await query(sql`update ${inbox}
set status = case when status = 'dead' then 'waiting' else status end, due_at = ${at(0)}
where handled_at is null and status in ('dead', 'failed') ${whichOf(request)} returning id`);
      return rows.length;
    },

    async history(options) {
      const { orderId } = resolve<{ orderId?: string }>('', options, {}, { orderId: text });
      if (orderId === undefined) throw new ConfigurationError('orderId', 'is missing');
      const events = await query(sql`select * from ${inbox} where ${ofOrder(orderId)} order by id`);
      const commands = await query(sql`select * from ${outbox} where ${ofOrder(orderId)} order by id`);
      return { orderId, events: events.map(historyOf), commands: commands.map(commandOf) };
    },

    async prune(options) {
      const { olderThanMs } = resolve<{ olderThanMs?: number }>(
        '',
        options,
        {},
        { olderThanMs: number({ min: 0, unit: 'ms' }) },
      );
      if (olderThanMs === undefined) {
        throw new ConfigurationError('olderThanMs', 'is missing; it is a duration in ms');
      }
      const before = at(Math.max(0, clock().now() - olderThanMs));
      const remove = async (table: Fragment, isOver: Fragment): Promise<number> => {
        const { length } = await query(pruneOf(table, isOver));
        return length < PRUNED_AT_ONCE ? length : length + (await remove(table, isOver));
      };
      const events = await remove(inbox, sql`handled_at < ${before}`);
      return events + (await remove(outbox, sql`status = 'sent' and answered_at < ${before}`));
    },
  };
}

const ofStore = (storeId: string | undefined) =>
  storeId === undefined ? raw('') : sql`and store_id = ${storeId}`;

function whichOf(request: RedriveRequest): Fragment {
  const { eventId, storeId, all } = resolve<{ eventId?: string; storeId?: string; all?: true }>(
    '',
    request,
    {},
    { eventId: text, storeId: text, all: isTrue },
  );
  const isSome = eventId !== undefined || storeId !== undefined;
  if (isSome === (all === true)) {
    throw new ConfigurationError('redrive', 'needs eventId, storeId, or both; or all: true');
  }
  return sql`${eventId === undefined ? raw('') : sql`and event_id = ${toStoredText(eventId)}`} ${ofStore(storeId)}`;
}

const isTrue: Check<true> = (name, value) => {
  if (value === true) return value;
  throw new ConfigurationError(name, 'must be true');
};

const textIn = (row: Row, name: string) => fromStoredText(String(row[name]));
const optionalIn = (row: Row, name: string) =>
  typeof row[name] === 'string' ? textIn(row, name) : undefined;

function deadOf(row: Row): DeadEvent {
  return {
    storeId: textIn(row, 'store_id'),
    eventId: textIn(row, 'event_id'),
    orderId: textIn(row, 'order_id'),
    eventType: textIn(row, 'event_type'),
    attempts: Number(row.attempts),
    receivedAt: textIn(row, 'received_at'),
    failedAt: optionalIn(row, 'failed_at'),
    error: optionalIn(row, 'error'),
  };
}

const historyOf = (row: Row): EventHistory => ({
  ...deadOf(row),
  status: textIn(row, 'status') as StoredStatus,
  startedAt: optionalIn(row, 'started_at'),
  handledAt: optionalIn(row, 'handled_at'),
});

const commandOf = (row: Row): CommandHistory => ({
  storeId: textIn(row, 'store_id'),
  eventId: textIn(row, 'event_id'),
  command: textIn(row, 'command'),
  status: textIn(row, 'status') as CommandStatus,
  attempts: Number(row.attempts),
  createdAt: textIn(row, 'created_at'),
  answeredAt: optionalIn(row, 'answered_at'),
  error: optionalIn(row, 'error'),
  outcome: row.outcome === 'unknown' ? 'unknown' : undefined,
});
