import { chain, type Database } from './database.js';
import { type Fragment, raw, sql } from './statement.js';

/** In which database the tables are, and what they are called there. */
export interface Tables {
  readonly dialect: 'postgres' | 'sqlite';
  readonly inbox: Fragment;
  readonly outbox: Fragment;
  readonly migrations: Fragment;
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
    migrations: raw(`${before}migrations`),
    prefix: dialect === 'postgres' ? '' : 'opendelivery_',
    schema: dialect === 'postgres' ? schema : undefined,
  };
}

/** An index holds at most 2,700 bytes of a row, and a hub's id may be longer. */
export const orderPrefix = (column: Fragment): Fragment => sql`substr(${column}, 1, ${raw('100')})`;

/**
 * The statements that make the tables, one after another in one transaction; each does nothing if its table is there.
 *
 * Instants are ISO 8601 texts in UTC: they are read as they are, and sort by time.
 */
function migrationOf({ dialect, inbox, outbox, migrations, prefix, schema }: Tables): Fragment[] {
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
          sql`select pg_advisory_xact_lock(hashtextextended('opendelivery-client inbox', 0))`,
          raw(`create schema if not exists "${schema}"`),
        ]),
    sql`create table if not exists ${migrations} (version integer primary key, made_at ${text} not null)`,
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

/** Makes the tables, or adds what tables of an earlier version lack. */
export function migrate<Tx>(tables: Tables, database: Database<Tx>, tx: Tx): unknown {
  const statements = migrationOf(tables);
  const next = (index: number): unknown => {
    const statement = statements[index];
    return statement && chain(database.query(statement, tx), () => next(index + 1));
  };
  const { isThere, add } = addedColumn(tables);
  return chain(next(0), () =>
    chain(database.query(isThere, tx), ({ length }) => length === 0 && database.query(add, tx)),
  );
}

/** A column that tables of an earlier version lack: whether it is there, and what adds it. */
function addedColumn({ dialect, outbox, prefix, schema = '' }: Tables) {
  return dialect === 'postgres'
    ? {
        isThere: sql`select 1 from information_schema.columns
where table_schema = ${schema} and table_name = 'outbox' and column_name = 'tried_at'`,
        add: sql`alter table ${outbox} add column tried_at text collate "C"`,
      }
    : {
        isThere: raw(`select 1 from pragma_table_info('${prefix}outbox') where name = 'tried_at'`),
        add: sql`alter table ${outbox} add column tried_at text`,
      };
}
