import type { Clock } from '../../time/clock.js';
import type { LeaseRequest, State } from '../port.js';
import { fromStoredText, toStoredText } from '../stored-text.js';
import type { Connection, Durability } from './connection.js';
import { lifetimeOf, Marks } from './marks.js';
import { QuotaTables } from './quotas.js';

/** State in a database of SQLite. Every call is one transaction. */
export function sqliteState(connection: Connection): State {
  const quotas = new QuotaTables(connection);
  const marks = new Marks(connection);

  /** Only a new fence must be on the disk. */
  const durabilityOf = (key: string, lease: LeaseRequest | undefined) => (): Durability =>
    quotas.isNewHolder(key, lease) ? 'FULL' : 'NORMAL';

  return {
    get: (key, clock) => connection.whenFree(clock, () => readValue(connection, key, clock)),
    set: (key, value, { forMs, ifEquals }, clock) =>
      connection.write('NORMAL', clock, () => {
        if (ifEquals !== undefined && readValue(connection, key, clock) !== ifEquals) return;
        writeValue(connection, key, value, forMs, clock);
      }),
    reserve: (key, request, clock) =>
      connection.write(durabilityOf(key, request.lease), clock, () => quotas.reserve(key, request, clock)),
    settle: (key, change, clock) =>
      connection.write('NORMAL', clock, () => quotas.settle(key, change, clock.now())),
    lease: (key, request, clock) =>
      connection.write(durabilityOf(key, request), clock, () => quotas.lease(key, request, clock)),
    recall: (key, ids, request, clock) =>
      connection.write(request.count ? 'FULL' : 'NORMAL', clock, () =>
        marks.recall(key, ids, request, clock.now()),
      ),
    mark: (key, ids, change, clock) =>
      connection.write('FULL', clock, () => marks.mark(key, ids, change, clock.now())),
  };
}

function readValue(connection: Connection, given: string, clock: Clock): string | undefined {
  const now = clock.now();
  const key = toStoredText(given);
  const row = connection.sql('SELECT value, ends, length FROM "values" WHERE key = ?').get(key) as
    | { readonly value: string; readonly ends: number; readonly length: number }
    | undefined
    | null;
  if (!row || row.ends <= now) return undefined;
  if (row.ends > now + row.length) {
    connection.sql('UPDATE "values" SET ends = ? + length WHERE key = ?').run(now, key);
  }
  return fromStoredText(row.value);
}

function writeValue(
  connection: Connection,
  given: string,
  value: string | undefined,
  forMs: number,
  clock: Clock,
): void {
  const now = clock.now();
  const key = toStoredText(given);
  connection.sql('DELETE FROM "values" WHERE key = ? OR ends <= ?').run(key, now);
  if (value === undefined || forMs <= 0) return;
  const row = [key, ...lifetimeOf(forMs, now), toStoredText(value)];
  connection.sql('INSERT INTO "values" VALUES (?, ?, ?, ?)').run(...row);
}
