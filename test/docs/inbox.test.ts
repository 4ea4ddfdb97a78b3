import Database from 'libsql';
import { sqliteInbox } from 'opendelivery-client/sql';
import { inboxContract } from 'opendelivery-client/testing';
import { describe, expect, it as test } from 'vitest';
import { openSqliteInbox, sqliteDrivers } from '../inbox/support.js';
import { stage } from '../support.js';

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
