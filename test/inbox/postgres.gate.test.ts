import { PGlite } from '@electric-sql/pglite';
import { postgresInbox, sqlInbox } from 'opendelivery-client/sql';
import { inboxContract } from 'opendelivery-client/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itHolds } from '../state/contract.js';
import { describeWithPostgres, type PostgresServer } from '../state/postgres/server.js';

describe('sqlInbox over PGlite', () => {
  let database: PGlite;
  beforeAll(() => {
    database = new PGlite();
  }, 60_000);
  afterAll(() => database.close());
  const open = async () => {
    await database.exec('drop schema if exists opendelivery cascade');
    const inbox = sqlInbox<Awaited<Parameters<Parameters<PGlite['transaction']>[0]>[0]>>({
      dialect: 'postgres',
      query: async (sql, parameters, tx) => (await (tx ?? database).query<object>(sql, parameters)).rows,
      transaction: (run) => database.transaction(run),
    });
    await inbox.migrate();
    return { inbox, close: async () => {} };
  };

  itHolds(inboxContract(open));
});

describeWithPostgres('postgresInbox', (start) => {
  let server: PostgresServer;
  let count = 0;
  beforeAll(async () => {
    server = await start();
  }, 60_000);
  afterAll(() => server.close());
  const open = async () => {
    count += 1;
    const schema = `shop-${count}`;
    const pools = [server.pool(), server.pool()];
    const [inbox, other] = pools.map((pool) => postgresInbox(pool, { schema }));
    if (!inbox || !other) throw new Error('there are two pools');
    // Several processes may do it at once.
    await Promise.all([inbox.migrate(), inbox.migrate(), other.migrate()]);
    const close = async () => void (await Promise.all(pools.map((pool) => pool.end())));
    return { inbox, reopen: () => other, close };
  };

  itHolds(inboxContract(open));

  it('keeps Event id, order id, type, status and command as text', async () => {
    const { inbox, close } = await open();
    await inbox.migrate();
    const { rows } = await server.pool().query(
      `select table_name, column_name, data_type from information_schema.columns
       where table_schema = $1 and column_name = any ($2)`,
      [`shop-${count}`, ['event_id', 'order_id', 'event_type', 'status', 'command']],
    );
    await close();
    expect(rows.length).toBe(8);
    expect(new Set(rows.map(({ data_type }) => data_type))).toEqual(new Set(['text']));
  });
});
