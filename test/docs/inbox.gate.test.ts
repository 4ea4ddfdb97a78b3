import { readFileSync } from 'node:fs';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { type PostgresInboxPool, postgresInbox, sqlInbox } from 'opendelivery-client/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolOf } from '../inbox/support.js';
import { stage } from '../support.js';

const guide = readFileSync(new URL('../../docs/inbox-support.md', import.meta.url), 'utf8');

describe('the guide of the inbox, over PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = new PGlite();
    await database.exec('create table tickets (order_id text, customer text)');
  });
  afterAll(() => database.close());

  test('commits a ticket, the mark and a command', async () => {
    const { hub, mock, clock } = stage();
    const pool: PostgresInboxPool = poolOf(database);
    // #region use
    const inbox = postgresInbox(pool); // or sqliteInbox(database)
    await inbox.migrate(); // makes the tables, once
    const poller = hub.poller({ inbox });
    poller.on('CREATED', async (event, { commit }) => {
      const { order } = await hub.orders.get(event.orderId); // network first
      await commit(async (tx, outbox) => {
        await tx.query('insert into tickets (order_id, customer) values ($1, $2)', [
          event.orderId,
          order.customer?.name,
        ]);
        outbox.confirm(event.orderId); // sent after the commit
      });
    });
    // #endregion
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('30s');
    const { rows } = await database.query('select order_id from tickets');
    expect(rows).toEqual([{ order_id: orderId }]);
    expect(mock.emitted().map(({ eventType }) => eventType)).toEqual(['CREATED', 'CONFIRMED']);
    expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, commands: 0 });
  });

  test('has queries for a person who asks what happened to an order', async () => {
    const { hub, mock, clock } = stage();
    const inbox = postgresInbox(poolOf(database), { schema: 'support' });
    await inbox.migrate();
    const poller = hub.poller({ inbox, maxAttempts: 1 });
    poller.on('CREATED', async ({ orderId }, { commit }) => {
      await commit((_tx, outbox) => outbox.confirm(orderId));
      throw new Error('after the commit');
    });
    poller.on('CONFIRMED', () => {
      throw new RangeError('always');
    });
    poller.on('error', () => {});
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('1m');
    const results: unknown[] = [];
    for (const statement of guide.match(/(?<=```sql\n).*?(?=```)/gs) ?? []) {
      const own = statement.replaceAll('opendelivery.', 'support.').replaceAll('4711', orderId);
      results.push((await database.query(own)).rows);
    }
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(results).toEqual([
      [
        {
          received_at: at,
          event_type: 'CREATED',
          status: 'handled',
          attempts: 1,
          handled_at: at,
          error: null,
        },
        {
          received_at: at,
          event_type: 'CONFIRMED',
          status: 'dead',
          attempts: 1,
          handled_at: null,
          error: 'RangeError',
        },
      ],
      [
        {
          created_at: at,
          command: 'confirm',
          status: 'sent',
          attempts: 1,
          answered_at: at,
          error: null,
          outcome: null,
        },
      ],
      [{ store_id: expect.any(String), status: 'dead', count: 1, oldest: at }],
      [],
      [],
    ]);
    await clock.advance('5s');
    expect((await inbox.history({ orderId })).events[1]).toMatchObject({ status: 'dead', attempts: 2 });
    const plan = await database
      .query<{ 'QUERY PLAN': string }>('set enable_seqscan = off')
      .then(() =>
        database.query<{ 'QUERY PLAN': string }>(
          "explain select * from support.inbox where substr(order_id, 1, 100) = '4711'",
        ),
      );
    expect(plan.rows.map((row) => row['QUERY PLAN']).join()).toContain('inbox_order');
  });

  test('works with two functions', async () => {
    // #region sql-inbox
    const inbox = sqlInbox<Transaction>({
      dialect: 'postgres',
      query: async (sql, parameters, tx) => (await (tx ?? database).query(sql, parameters)).rows,
      transaction: (run) => database.transaction(run),
    });
    // #endregion
    await inbox.migrate();
    expect(await inbox.stats()).toMatchObject({ waiting: 0 });
  });
});
