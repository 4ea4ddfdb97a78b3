import { isThenable } from '../../async/promises.js';
import type { Clock } from '../../time/clock.js';
import { withinTime } from '../../time/timer.js';
import type { Fragment } from './statement.js';

export type Row = Readonly<Record<string, unknown>>;

/** How statements are run. The functions of `sqliteInbox` return at once, those of others a promise. */
export interface Database<Tx> {
  /** @param tx - the client of a transaction; undefined: alone. */
  query(statement: Fragment, tx?: Tx): readonly Row[] | PromiseLike<readonly Row[]>;
  /** Whether a callback of `commit` must be synchronous, because everybody uses one connection. */
  readonly isSynchronous: boolean;
  /** Commits what `run` does, or rolls back if it throws or rejects. */
  transaction<Result>(run: (tx: Tx) => Result): Result | PromiseLike<Result>;
}

/** As `await` and then `next`, but at once if the value is no promise: a transaction of SQLite must not wait. */
export function chain<Value, Result>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Result,
): Result | PromiseLike<Awaited<Result>> {
  if (!isThenable(value)) return next(value as Value);
  return (value as PromiseLike<Value>).then(next) as PromiseLike<Awaited<Result>>;
}

/**
 * A process that vanishes in its transaction would keep its row locked for hours, and nobody could take over: Postgres
 * ends a transaction in which nothing happens for 40 s, which is less than the shortest lease.
 */
export const IDLE_LIMIT = "select set_config('idle_in_transaction_session_timeout', '40000', true)";

/** A statement that is not answered may have been carried out: its rows are claimed again. */
const STATEMENT_MS = 10_000;

/** One may be lost with its connection; two wait for a lock, and more would take every connection. */
const MAX_LATE = 2;

/** Statements that were not answered in time, of each store. Each keeps a connection of the application's pool. */
export type Late = Map<string, Set<PromiseLike<unknown>>>;

/**
 * Runs a statement outside of a transaction. Virtual time waits for it.
 *
 * @param late - if this store has too many, the statement is not run.
 * @throws what the database throws, or an error if it has not answered in time.
 */
export async function runAlone<Tx>(
  database: Database<Tx>,
  clock: Clock,
  statement: Fragment,
  late: Late,
  store: string,
): Promise<readonly Row[]> {
  const release = clock.hold?.();
  try {
    const before = late.get(store) ?? new Set();
    const isFull = before.size >= MAX_LATE;
    const rows = isFull
      ? Promise.race(before).then(() => Promise.reject(noAnswer()))
      : database.query(statement);
    if (!isThenable(rows)) return rows;
    const giveUp = () => {
      if (!isFull) keepUntilAnswered(late, store, rows);
      return noAnswer();
    };
    return await withinTime(clock, STATEMENT_MS, async () => rows, giveUp);
  } finally {
    release?.();
  }
}

function keepUntilAnswered(late: Late, store: string, rows: PromiseLike<unknown>): void {
  const ofStore = late.get(store) ?? new Set();
  late.set(store, ofStore.add(rows));
  const answered = () => {
    ofStore.delete(rows);
    if (ofStore.size === 0) late.delete(store);
  };
  rows.then(answered, answered);
}

const noAnswer = () => new Error(`the database has not answered within ${STATEMENT_MS} ms`);
