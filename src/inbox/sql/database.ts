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

/** A statement that is not answered may have been carried out: its rows are claimed again. */
const STATEMENT_MS = 10_000;

/**
 * Runs a statement outside of a transaction. Virtual time waits for it.
 *
 * @throws what the database throws, or an error if it has not answered in time.
 */
export async function runAlone<Tx>(
  database: Database<Tx>,
  clock: Clock,
  statement: Fragment,
): Promise<readonly Row[]> {
  const release = clock.hold?.();
  try {
    const rows = database.query(statement);
    return await (isThenable(rows) ? withinTime(clock, STATEMENT_MS, async () => rows, noAnswer) : rows);
  } finally {
    release?.();
  }
}

const noAnswer = () => new Error(`the database has not answered within ${STATEMENT_MS} ms`);
