import Database from 'libsql';
import type { EventPoller, HubClient, PollerOptions } from 'opendelivery-client';
import { type Outbox, postgresInbox, sqliteInbox } from 'opendelivery-client/sql';
import { Pool } from 'pg';

/** The header in which a process tells the hub its name. */
export const PROCESS_HEADER = 'x-process';

/** Where the processes of a test keep their inbox and their tickets. */
export type InboxPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly host: string; readonly schema: string };

/** The application's table, in a transaction. It has no unique constraint. */
export interface Tickets {
  add(orderId: string): unknown;
}

/** What the application does with an order. */
export type Handle = (
  orderId: string,
  commit: (write: (tickets: Tickets, outbox: Outbox) => unknown) => Promise<unknown>,
) => Promise<void>;

export const poolOfPlace = (host: string) => {
  const pool = new Pool({
    host,
    user: 'postgres',
    database: 'postgres',
    max: 10,
    connectionTimeoutMillis: 2000,
  });
  pool.on('error', () => {});
  return pool;
};

/**
 * The inbox of a place, as an application uses it.
 *
 * @param onBegin - is called before each transaction begins.
 */
export function openInbox(place: InboxPlace, onBegin = () => {}) {
  if (place.kind === 'sqlite') {
    const database = new Database(place.path);
    database.exec('pragma journal_mode = wal');
    database.exec('pragma busy_timeout = 10000');
    database.exec('create table if not exists tickets (order_id text)');
    const inbox = sqliteInbox({
      prepare: (sql: string) => database.prepare(sql),
      exec(sql: string) {
        if (sql.startsWith('begin')) onBegin();
        return database.exec(sql);
      },
    });
    return {
      inbox,
      prepare: () => inbox.migrate(),
      poller(hub: HubClient, options: PollerOptions, handle: Handle): EventPoller {
        const poller = hub.poller({ ...options, inbox });
        poller.on('CREATED', ({ orderId }, { commit }) =>
          handle(orderId, (write) =>
            commit((_tx, outbox) => {
              const add = (id: string) => void database.prepare('insert into tickets values (?)').run(id);
              return write({ add }, outbox);
            }),
          ),
        );
        return poller as EventPoller;
      },
      ticketsOf: async () =>
        (database.prepare('select order_id from tickets').all() as { order_id: string }[]).map(
          (row) => row.order_id,
        ),
      rows: async () =>
        database.prepare('select event_id, status from opendelivery_inbox').all() as {
          event_id: string;
          status: string;
        }[],
      close: async () => void database.close(),
    };
  }
  const pool = poolOfPlace(place.host);
  const inbox = postgresInbox(
    {
      query: (text: string, values?: unknown[]) => pool.query(text, values),
      connect() {
        onBegin();
        return pool.connect();
      },
    },
    { schema: place.schema },
  );
  return {
    inbox,
    prepare: async () => {
      await inbox.migrate();
      await pool.query(`create table if not exists "${place.schema}".tickets (order_id text)`);
    },
    poller(hub: HubClient, options: PollerOptions, handle: Handle): EventPoller {
      const poller = hub.poller({ ...options, inbox });
      poller.on('CREATED', ({ orderId }, { commit }) =>
        handle(orderId, (write) =>
          commit(async (tx, outbox) => {
            await write(
              { add: (id: string) => tx.query(`insert into "${place.schema}".tickets values ($1)`, [id]) },
              outbox,
            );
          }),
        ),
      );
      return poller as EventPoller;
    },
    ticketsOf: async () =>
      (await pool.query(`select order_id from "${place.schema}".tickets`)).rows.map((row) =>
        String(row.order_id),
      ),
    rows: async () =>
      (await pool.query(`select event_id, status from "${place.schema}".inbox`)).rows as {
        event_id: string;
        status: string;
      }[],
    close: () => pool.end(),
  };
}
