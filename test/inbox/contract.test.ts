import { inboxContract } from 'opendelivery-client/testing';
import { describe } from 'vitest';
import { itHolds } from '../state/contract.js';
import { openSqliteInbox, sqliteDrivers } from './support.js';

describe.each(sqliteDrivers())('sqliteInbox with $name', ({ Database }) => {
  itHolds(inboxContract(() => openSqliteInbox(Database)));
});
