import { sqliteInbox } from 'opendelivery-client/sql';
import { inboxContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { itHolds } from '../state/contract.js';
import { stage } from '../support.js';
import { openSqliteInbox, sqliteDrivers } from './support.js';

describe.each(sqliteDrivers())('sqliteInbox with $name', ({ Database }) => {
  itHolds(inboxContract(() => openSqliteInbox(Database)));

  it.each([
    ['off', 0, 0],
    ['normal', 1, 2],
    ['full', 2, 2],
    ['extra', 3, 3],
  ])('with synchronous = %s, events are stored and committed with %i, %i', async (setting, own, within) => {
    const { inbox, database, close } = await openSqliteInbox(Database);
    const level = () => database.prepare('pragma synchronous').all();
    const levels: unknown[] = [];
    Object.assign(database, {
      exec: (text: string) => {
        if (text === 'commit') levels.push(level());
        return Object.getPrototypeOf(database).exec.call(database, text);
      },
    });
    database.exec(`pragma synchronous = ${setting}`);
    const { hub, mock } = stage();
    const poller = hub.poller({ inbox });
    poller.on('CREATED', (_event, { commit }) => commit(() => {}));
    mock.createOrder();
    await poller.runOnce();
    expect(levels.length).toBeGreaterThan(1);
    expect(new Set(levels.map((each) => JSON.stringify(each)))).toEqual(
      new Set([`[{"synchronous":${within}}]`]),
    );
    expect(level()).toMatchObject([{ synchronous: own }]);
    await close();
  });

  it('reads the setting also as a BigInt, and a failure to set it back hides no error', async () => {
    const { database, close } = await openSqliteInbox(Database);
    const settings: string[] = [];
    const inbox = sqliteInbox({
      exec: (sql: string) => {
        if (sql.startsWith('pragma')) settings.push(sql);
        if (settings.length === 2) throw new Error('the application is reading rows');
        return database.exec(sql);
      },
      prepare: (sql: string) =>
        sql.startsWith('pragma') ? { all: () => [{ synchronous: 1n }] } : database.prepare(sql),
    });
    expect(await inbox.redrive({ all: true })).toBe(0);
    expect(settings).toEqual(['pragma synchronous = full', 'pragma synchronous = normal']);
    settings.length = 0;
    database.exec('drop table opendelivery_inbox');
    await expect(inbox.redrive({ all: true })).rejects.toThrow(/no such table.*migrate/);
    await close();
  });

  it('looks for what is due without waiting for another program that writes', async () => {
    const { database, reopen, close } = await openSqliteInbox(Database);
    const other = await reopen?.();
    database.exec('begin immediate');
    expect(await other?.stats()).toMatchObject({ waiting: 0 });
    database.exec('rollback');
    await close();
  });

  it.each(['normal', 'full'])('says whose transaction is open, with synchronous = %s', async (setting) => {
    const { inbox, database, close } = await openSqliteInbox(Database);
    database.exec(`pragma synchronous = ${setting}`);
    database.exec('begin');
    await expect(inbox.stats()).rejects.toThrow(/a transaction of yours is open/);
    database.exec('rollback');
    expect(await inbox.stats()).toMatchObject({ waiting: 0 });
    await close();
  });
});
