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
});
