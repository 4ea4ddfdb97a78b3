import { instantAfter } from '../../clock.js';
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
    const stored = ids.map(toStoredText);
    const chosen = new Set(count?.ids.map(toStoredText));
    const lists = { counted: new Set<string>(), handled: new Set<string>(), attempted: new Set<string>() };
    const marks = this.#rows(key, stored).map((row, index) => {
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
    this.#add(key, [...lists.counted], attemptedMs, now);
    this.#renew(key, [...lists.handled], handledMs, now);
    this.#renew(key, [...lists.attempted], attemptedMs, now);
    return marks;
  }

  mark(key: string, ids: readonly string[], change: MarkChange, now: number): void {
    const stored = ids.map(toStoredText);
    if ('handled' in change) this.#setHandled(key, stored, change.forMs, now);
    else if (change.attempts === 1) this.#add(key, stored, change.forMs, now);
    else this.#takeBack(key, stored, change.forMs, now);
  }

  #rows(key: string, ids: readonly string[]): readonly Row[] {
    const text = `SELECT handled, attempts, ends, length FROM json_each(?) AS wanted
      LEFT JOIN marks ON marks.key = ? AND marks.id = wanted.value ORDER BY wanted.key`;
    return this.#connection.sql(text).all(JSON.stringify(ids), toStoredText(key)) as readonly Row[];
  }

  #setHandled(key: string, ids: readonly string[], forMs: number, now: number): void {
    this.#sweep(key, ids, now);
    const text = `INSERT OR REPLACE INTO marks SELECT ?, value, 1, 0, ?, ? FROM json_each(?) WHERE true`;
    if (forMs > 0) this.#run(text, ids, [toStoredText(key), ...lifetimeOf(forMs, now)]);
    else this.#run(`DELETE FROM marks WHERE key = ? AND id IN (${IDS})`, ids, [toStoredText(key)]);
  }

  #add(key: string, ids: readonly string[], forMs: number, now: number): void {
    this.#sweep(key, ids, now);
    const text = `INSERT INTO marks SELECT ?, value, 0, 1, ?, ? FROM json_each(?) WHERE true
      ON CONFLICT (key, id) DO UPDATE SET attempts = min(attempts + 1, ${MAX_COUNTED_ATTEMPTS}),
      ends = excluded.ends, length = excluded.length WHERE handled = 0`;
    if (forMs > 0) this.#run(text, ids, [toStoredText(key), ...lifetimeOf(forMs, now)]);
  }

  #takeBack(key: string, ids: readonly string[], forMs: number, now: number): void {
    const where = `WHERE key = ? AND handled = 0 AND id IN (${IDS})`;
    const [ends, length] = lifetimeOf(forMs, now);
    this.#run(`DELETE FROM marks ${where} AND attempts <= 1`, ids, [toStoredText(key)]);
    this.#run(`UPDATE marks SET attempts = attempts - 1, ends = ?, length = ? ${where}`, ids, [
      ends,
      length,
      toStoredText(key),
    ]);
  }

  #renew(key: string, ids: readonly string[], forMs: number, now: number): void {
    const [ends, length] = lifetimeOf(forMs, now);
    const text = `UPDATE marks SET ends = ?, length = ? WHERE key = ? AND id IN (${IDS})`;
    this.#run(text, ids, [ends, length, toStoredText(key)]);
  }

  /** Deletes these ids if they have expired, and some others that have, so that the file does not grow. */
  #sweep(key: string, ids: readonly string[], now: number): void {
    this.#run(`DELETE FROM marks WHERE ends <= ? AND key = ? AND id IN (${IDS})`, ids, [
      now,
      toStoredText(key),
    ]);
    const text = `DELETE FROM marks WHERE (key, id) IN (SELECT key, id FROM marks WHERE ends <= ? LIMIT ${SWEPT_ROWS})`;
    if (ids.length > 0) this.#connection.sql(text).run(now);
  }

  /** @param before - the parameters before the ids. */
  #run(text: string, ids: readonly string[], before: readonly SqlValue[]): void {
    if (ids.length > 0) this.#connection.sql(text).run(...before, JSON.stringify(ids));
  }
}

function lifetimeOf(forMs: number, now: number): [ends: number, length: number] {
  const length = Math.min(Math.ceil(forMs), MAX_LIFETIME_MS);
  return [instantAfter(now, length), length];
}
