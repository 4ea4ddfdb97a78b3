import { PGlite, type Transaction } from '@electric-sql/pglite';
import Database from 'libsql';
import { type PostgresInboxPool, postgresInbox, sqlInbox, sqliteInbox } from 'opendelivery-client/sql';
import { inboxContract } from 'opendelivery-client/testing';
import { afterAll, beforeAll, describe, expect, it as test } from 'vitest';
import { openSqliteInbox, poolOf, sqliteDrivers } from '../inbox/support.js';
import { stage } from '../support.js';

describe('the guide of the inbox, over PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = new PGlite();
    await database.exec('create table tickets (order_id text, customer text)');
  }, 60_000);
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

test('the guide of the inbox commits in SQLite, and supports a person', async () => {
  const { hub, mock, clock } = stage();
  // #region sqlite
  const database = new Database(':memory:'); // or the path of a file
  const inbox = sqliteInbox(database);
  await inbox.migrate();
  const poller = hub.poller({ inbox });
  poller.on('CREATED', async ({ orderId }, { commit }) => {
    await commit((tx, outbox) => {
      tx.prepare('insert into tickets (order_id) values (?)').run(orderId);
      outbox.confirm(orderId);
    });
  });
  // #endregion
  database.exec('create table tickets (order_id text)');
  const { orderId, event } = mock.createOrder();
  const { eventId } = event;
  await poller.start();
  await clock.advance('30s');
  expect(database.prepare('select * from tickets').all()).toEqual([{ order_id: orderId }]);
  // #region support
  await inbox.stats(); // { waiting, running, failed, dead, commands, oldestMs }
  await inbox.dead(); // the events that failed too often
  await inbox.history({ orderId }); // what happened to an order
  await inbox.redrive({ eventId }); // runs a failed or dead event again, now
  await inbox.prune({ olderThanMs: 30 * 86_400_000 }); // once a day
  // #endregion
  const history = await inbox.history({ orderId });
  expect(history.commands).toMatchObject([{ command: 'confirm', status: 'sent' }]);
});

describe('the contract of the guide', () => {
  const [driver] = sqliteDrivers();
  const open = () => openSqliteInbox((driver as NonNullable<typeof driver>).Database);
  const it = (name: string, run: () => Promise<void>) =>
    test.runIf(name.includes('prune'))(name, async () => {
      await expect(run()).resolves.toBeUndefined();
    });
  // #region contract
  for (const { name, run } of inboxContract(open)) it(name, () => run());
  // #endregion
});
