import { inboxContract } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { openSqliteInbox, sqliteDrivers } from './support.js';

describe.each(sqliteDrivers())('sqliteInbox with $name', ({ Database }) => {
  it.each(inboxContract(() => openSqliteInbox(Database)))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
