import { toStoredText } from '../../state/stored-text.js';
import { chain, type Database } from './database.js';
import { type Fragment, raw, sql } from './statement.js';

/** In which database the tables are, and what they are called there. */
export interface Tables {
  readonly dialect: 'postgres' | 'sqlite';
  readonly inbox: Fragment;
  readonly outbox: Fragment;
  /** Before the names of indexes. */
  readonly prefix: string;
  /** Postgres only. */
  readonly schema: string | undefined;
}

/** @param schema - of Postgres. In SQLite, the tables have a prefix instead. */
export function tablesOf(dialect: Tables['dialect'], schema: string): Tables {
  const before = dialect === 'postgres' ? `"${schema}".` : 'opendelivery_';
  return {
    dialect,
    inbox: raw(`${before}inbox`),
    outbox: raw(`${before}outbox`),
    prefix: dialect === 'postgres' ? '' : 'opendelivery_',
    schema: dialect === 'postgres' ? schema : undefined,
  };
}

/** An index holds at most 2,700 bytes of a row, and a hub's id may be longer. */
const orderPrefix = (column: Fragment): Fragment => sql`substr(${column}, 1, ${raw('100')})`;

/** The rows of an order, in both tables. */
export function ofOrder(orderId: string): Fragment {
  const stored = sql`${toStoredText(orderId)}`;
  return sql`${orderPrefix(raw('order_id'))} = ${orderPrefix(stored)} and order_id = ${stored}`;
}

/**
 * The statements that make the tables, one after another in one transaction; each does nothing if its table is there.
 *
 * Instants are ISO 8601 texts in UTC: they are read as they are, and sort by time.
 */
function migrationOf({ dialect, inbox, outbox, prefix, schema }: Tables): Fragment[] {
  const isPostgres = dialect === 'postgres';
  const text = raw(isPostgres ? 'text collate "C"' : 'text');
  const id = raw(
    isPostgres
      ? 'id bigint generated always as identity primary key'
      : 'id integer primary key autoincrement',
  );
  const index = (name: string) => raw(`create index if not exists ${prefix}${name}`);
  return [
    ...(schema === undefined
      ? []
      : [
          // The lock of the state's migration too: both make the schema.
          sql`select pg_advisory_xact_lock(hashtextextended('opendelivery-client', 0))`,
          raw(`create schema if not exists "${schema}"`),
        ]),
    sql`create table if not exists ${inbox} (
  ${id},
  hub ${text} not null,
  store_id ${text} not null,
  event_key ${text} not null,
  event_id ${text} not null,
  order_id ${text} not null,
  event_type ${text} not null,
  event ${text} not null,
  status ${text} not null,
  attempts integer not null,
  counted integer not null,
  due_at ${text} not null,
  received_at ${text} not null,
  started_at ${text},
  handled_at ${text},
  failed_at ${text},
  error ${text},
  owner ${text},
  unique (hub, store_id, event_key)
)`,
    sql`create table if not exists ${outbox} (
  ${id},
  hub ${text} not null,
  store_id ${text} not null,
  order_id ${text} not null,
  event_id ${text} not null,
  command ${text} not null,
  body ${text},
  status ${text} not null,
  attempts integer not null,
  due_at ${text} not null,
  created_at ${text} not null,
  answered_at ${text},
  error ${text},
  outcome ${text},
  unproven integer not null,
  owner ${text},
  tried_at ${text}
)`,
    // An event changes its status three times. As no index has it, two of these changes write to no index.
    sql`${index('inbox_open')} on ${inbox} (hub, store_id, id) where handled_at is null`,
    sql`${index('inbox_order')} on ${inbox} (${orderPrefix(raw('order_id'))})`,
    sql`${index('outbox_open')} on ${outbox} (hub, store_id, id) where answered_at is null`,
    sql`${index('outbox_order')} on ${outbox} (${orderPrefix(raw('order_id'))})`,
  ];
}

/**
 * Makes the tables that are not there. Postgres is asked first: to make an index again, it would wait for every
 * transaction that writes, all others would wait behind it, and the role would need the right to do so.
 */
export function migrate<Tx>(tables: Tables, database: Database<Tx>, tx: Tx): unknown {
  const statements = migrationOf(tables);
  const next = (index: number): unknown => {
    const statement = statements[index];
    return statement && chain(database.query(statement, tx), () => next(index + 1));
  };
  if (tables.schema === undefined) return next(0);
  // Not with `to_regclass`: the session would remember that the schema is not there, while another one makes it.
  const last = sql`select count(*) as last_made from pg_catalog.pg_indexes
where schemaname = ${tables.schema} and indexname in ('inbox_order', 'outbox_order')`;
  return chain(database.query(last, tx), ([row]) => (Number(row?.last_made) === 2 ? undefined : next(0)));
}
