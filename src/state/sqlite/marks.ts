import { instantAfter } from '../../time/clock.js';
import {
  MAX_COUNTED_ATTEMPTS,
  MAX_LIFETIME_MS,
  type Mark,
  type MarkChange,
  RENEW_BELOW,
  type RecallRequest,
} from '../port.js';
import { toStoredText } from '../stored-text.js';
import type { Connection } from './connection.js';
import type { SqlValue } from './driver.js';

/** A row, or nulls for an id without one. */
interface Row {
  readonly handled: number | null;
  readonly attempts: number;
  readonly ends: number;
  readonly length: number;
}

/** Every statement gets its ids as one JSON array. */
const IDS = 'SELECT value FROM json_each(?)';

/** Expired rows that one call deletes: more than it adds, and few enough to take no time. */
const SWEPT_ROWS = 2000;

/** The table `marks`. Each method is a part of a transaction; `now` is epoch ms. */
export class Marks {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  recall(
    key: string,
    ids: readonly string[],
    { handledMs, attemptedMs, count }: RecallRequest,
    now: number,
  ): Mark[] {
    if (ids.length === 0) return [];
    const scope = this.#scopeOf(key);
    const stored = ids.map(toStoredText);
    const chosen = new Set(count?.ids.map(toStoredText));
    const lists = { counted: new Set<string>(), handled: new Set<string>(), attempted: new Set<string>() };
    const marks = this.#rows(scope, stored).map((row, index) => {
      const id = stored[index] as string;
      const isKnown = row.handled !== null && row.ends > now;
      const mark = { handled: isKnown && row.handled === 1, attempts: isKnown ? row.attempts : 0 };
      const forMs = mark.handled ? handledMs : attemptedMs;
      // A row that seems to last longer than its own length was written before the clock was set back.
      const isDue = row.ends - now < forMs * RENEW_BELOW || row.ends - now > row.length;
      if (!mark.handled && chosen.has(id) && mark.attempts < (count?.below ?? 0)) lists.counted.add(id);
      else if (isKnown && isDue) (mark.handled ? lists.handled : lists.attempted).add(id);
      return mark;
    });
    if (lists.counted.size > 0) this.#add(scope, [...lists.counted], attemptedMs, now);
    this.#renew(scope, [...lists.handled], handledMs, now);
    this.#renew(scope, [...lists.attempted], attemptedMs, now);
    return marks;
  }

  mark(key: string, ids: readonly string[], change: MarkChange, now: number): void {
    if (ids.length === 0) return;
    const scope = this.#scopeOf(key);
    const stored = ids.map(toStoredText);
    if ('handled' in change) this.#setHandled(scope, stored, change.forMs, now);
    else if (change.attempts === 1) this.#add(scope, stored, change.forMs, now);
    else this.#takeBack(scope, stored, change.forMs, now);
  }

  #rows(scope: number, ids: readonly string[]): readonly Row[] {
    const text = `SELECT handled, attempts, ends, length FROM json_each(?) AS wanted
      LEFT JOIN marks ON marks.scope = ? AND marks.id = wanted.value ORDER BY wanted.key`;
    return this.#connection.sql(text).all(JSON.stringify(ids), scope) as readonly Row[];
  }

  #setHandled(scope: number, ids: readonly string[], forMs: number, now: number): void {
    this.#sweep(now);
    const text = `INSERT INTO marks SELECT ?, value, 1, 0, ?, ? FROM json_each(?) WHERE true
      ON CONFLICT (scope, id) DO UPDATE SET handled = 1, ends = excluded.ends, length = excluded.length`;
    if (forMs > 0) this.#run(text, ids, [scope, ...lifetimeOf(forMs, now)]);
    else this.#run(`DELETE FROM marks WHERE scope = ? AND id IN (${IDS})`, ids, [scope]);
  }

  #add(scope: number, ids: readonly string[], forMs: number, now: number): void {
    this.#sweep(now);
    const text = `INSERT INTO marks SELECT ?, value, 0, 1, ?, ? FROM json_each(?) WHERE true
      ON CONFLICT (scope, id) DO UPDATE SET handled = 0, ends = excluded.ends, length = excluded.length,
      attempts = iif(ends > ?, min(attempts + 1, ${MAX_COUNTED_ATTEMPTS}), 1) WHERE handled = 0 OR ends <= ?`;
    const none = `DELETE FROM marks WHERE scope = ? AND handled = 0 AND id IN (${IDS})`;
    if (forMs <= 0) this.#run(none, ids, [scope]);
    else this.#connection.sql(text).run(scope, ...lifetimeOf(forMs, now), JSON.stringify(ids), now, now);
  }

  #takeBack(scope: number, ids: readonly string[], forMs: number, now: number): void {
    const where = `scope = ? AND handled = 0 AND id IN (${IDS})`;
    this.#run(`DELETE FROM marks WHERE (attempts <= 1 OR ends <= ?) AND ${where}`, ids, [now, scope]);
    const text = `UPDATE marks SET attempts = attempts - 1, ends = ?, length = ? WHERE ${where}`;
    this.#run(text, ids, [...lifetimeOf(forMs, now), scope]);
  }

  #renew(scope: number, ids: readonly string[], forMs: number, now: number): void {
    const text = `UPDATE marks SET ends = ?, length = ? WHERE scope = ? AND id IN (${IDS})`;
    this.#run(text, ids, [...lifetimeOf(forMs, now), scope]);
  }

  /** Deletes some of the marks that have expired, so that the file does not grow. */
  #sweep(now: number): void {
    const text = `DELETE FROM marks WHERE rowid IN (SELECT rowid FROM marks WHERE ends <= ? LIMIT ${SWEPT_ROWS})`;
    this.#connection.sql(text).run(now);
  }

  #scopeOf(key: string): number {
    const stored = toStoredText(key);
    const find = () => this.#connection.sql('SELECT scope FROM scopes WHERE key = ?').get(stored);
    let row = find();
    if (!row) {
      this.#connection.sql('INSERT INTO scopes (key) VALUES (?)').run(stored);
      row = find();
    }
    return (row as { readonly scope: number }).scope;
  }

  /** @param before - the parameters before the ids. */
  #run(text: string, ids: readonly string[], before: readonly SqlValue[]): void {
    if (ids.length > 0) this.#connection.sql(text).run(...before, JSON.stringify(ids));
  }
}

/** When a row of this lifetime ends, and its length. */
export function lifetimeOf(forMs: number, now: number): [ends: number, length: number] {
  const length = Math.min(Math.ceil(forMs), MAX_LIFETIME_MS);
  return [instantAfter(now, length), length];
}
