import { isThenable } from '../../async/promises.js';
import { ConfigurationError, LeaseLostError } from '../../errors/index.js';
import { toStoredText } from '../../state/stored-text.js';
import type { Clock } from '../../time/clock.js';
import type { Outbox } from '../inbox.js';
import { recorder } from '../outbox.js';
import type { CommitRequest, Committed, StoreKey } from '../tables.js';
import { changeOf, handledAt } from './claims.js';
import { chain, type Database } from './database.js';
import type { Tables } from './schema.js';
import { at, list, sql } from './statement.js';

/**
 * One transaction with the application's rows, the mark of the event and the commands for the hub.
 *
 * @param run - the callback of `commit`.
 * @throws {LeaseLostError} another process has claimed the event.
 */
export async function commit<Tx, Result>(
  tables: Tables,
  database: Database<Tx>,
  clock: Clock | undefined,
  store: StoreKey,
  { key, eventId, owner, now }: CommitRequest,
  run: (tx: Tx, outbox: Outbox) => Result,
): Promise<Committed<Result>> {
  const mark = changeOf(tables, store, [key], owner, handledAt(now));
  const ofEvent = sql`hub = ${store.hub} and store_id = ${store.storeId} and event_key = ${key} and owner = ${owner}`;
  // Virtual time waits for the database, and not for the callback, which may wait for the time.
  let release = clock?.hold?.();
  const hold = () => {
    release ??= clock?.hold?.();
  };
  const transact = (tx: Tx) =>
    chain(database.query(mark, tx), ({ length }) => {
      if (length === 0) throw new LeaseLostError(0);
      const { outbox, commands, end } = recorder();
      const returned = run(tx, outbox);
      if (isThenable(returned)) {
        release?.();
        release = undefined;
        Promise.resolve(returned).then(hold, hold);
      }
      if (database.isSynchronous && isThenable(returned)) {
        end();
        Promise.resolve(returned).catch(() => {});
        throw new ConfigurationError(
          'commit',
          'its callback must be synchronous with sqliteInbox, because a connection has one transaction; await before commit',
        );
      }
      return chain(returned, (result) => {
        end();
        if (commands.length === 0) return { result, hasCommands: false };
        const rows = commands.map(
          ({ orderId, command, body }) =>
            sql`(${store.hub}, ${store.storeId}, ${toStoredText(orderId)}, ${toStoredText(eventId)}, ${toStoredText(command)}, ${body}, 'waiting', 0, ${at(now)}, ${at(now)}, 0)`,
        );
        const insert = sql`insert into ${tables.outbox}
(hub, store_id, order_id, event_id, command, body, status, attempts, due_at, created_at, unproven)
select * from (values ${list(rows)}) as recorded
where exists (select 1 from ${tables.inbox} where ${ofEvent} and status = 'handled')
returning id`;
        return chain(database.query(insert, tx), ({ length }) => {
          if (length > 0) return { result, hasCommands: true };
          throw new ConfigurationError('commit', 'its callback has ended the transaction; to undo, throw');
        });
      });
    });
  try {
    return (await database.transaction(transact)) as Committed<Result>;
  } finally {
    release?.();
    // The callback may settle later than its transaction: then there is nothing to wait for.
    release = () => {};
  }
}
