import { inboxContract, type OpenedInbox, stateContract } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { memoryState } from '../../src/state/memory-state.js';
import { openSqliteInbox, sqliteDrivers } from '../inbox/support.js';

const RUN_ONCE = 'runOnce stores, acknowledges and handles what is due';
const [driver] = sqliteDrivers();

/** A case of `inboxContract`, with an inbox that is changed. */
async function inboxCase(name: string, change: (opened: OpenedInbox) => Partial<OpenedInbox>) {
  const open = async () => {
    const opened = await openSqliteInbox((driver as NonNullable<typeof driver>).Database);
    return { ...opened, ...change(opened) };
  };
  await inboxContract(open)
    .find((each) => each.name === name)
    ?.run();
}

/** Closes what was opened, and fails. */
const failsToClose = (opened: OpenedInbox) => ({
  close: async () => {
    await opened.close();
    throw new Error('cannot be closed');
  },
});

it('inboxContract names the broken rule also if the inbox cannot be closed', async () => {
  const run = inboxCase(RUN_ONCE, (opened) => {
    const stats = () => Promise.reject(new Error('the table is missing'));
    return { inbox: { ...opened.inbox, stats }, ...failsToClose(opened) };
  });
  await expect(run).rejects.toThrow(`${RUN_ONCE}\n  the table is missing`);
});

it('inboxContract fails if only the close fails', async () => {
  await expect(inboxCase(RUN_ONCE, failsToClose)).rejects.toThrow('cannot be closed');
});

it('stateContract names the broken rule also if close returns no promise, as in JavaScript', async () => {
  const open = () => ({
    state: Object.assign(memoryState(), { get: () => Promise.reject(new Error('no such table')) }),
    close: () => undefined as never,
  });
  const [first] = stateContract(open);
  await expect(first?.run()).rejects.toThrow(
    `${first?.name}\n  get must not fail here, but it did: no such table`,
  );
});
