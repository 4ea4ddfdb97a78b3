import { instantAfter } from '../../clock.js';
import { MAX_LIFETIME_MS, type SetOptions } from '../port.js';
import { fromStoredText, toStoredText } from '../stored-text.js';
import type { Connection } from './connection.js';

interface Value {
  readonly value: string;
  readonly ends: number;
  readonly length: number;
}

/** The table `values`. Each method is a part of a transaction; `now` is epoch ms. */
export class Values {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get(key: string, now: number): string | undefined {
    const row = this.#connection
      .sql('SELECT value, ends, length FROM "values" WHERE key = ?')
      .get(toStoredText(key)) as Value | undefined | null;
    if (!row || row.ends <= now) return undefined;
    if (row.ends > now + row.length) {
      this.#connection.sql('UPDATE "values" SET ends = ? + length WHERE key = ?').run(now, toStoredText(key));
    }
    return fromStoredText(row.value);
  }

  set(key: string, value: string | undefined, { forMs, ifEquals }: SetOptions, now: number): void {
    if (ifEquals !== undefined && this.get(key, now) !== ifEquals) return;
    const connection = this.#connection;
    connection.sql('DELETE FROM "values" WHERE key = ? OR ends <= ?').run(toStoredText(key), now);
    if (value === undefined || forMs <= 0) return;
    const length = Math.min(Math.ceil(forMs), MAX_LIFETIME_MS);
    connection
      .sql('INSERT INTO "values" VALUES (?, ?, ?, ?)')
      .run(toStoredText(key), instantAfter(now, length), length, toStoredText(value));
  }
}
