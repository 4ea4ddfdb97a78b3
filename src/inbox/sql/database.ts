import { isThenable } from '../../async/promises.js';
import { ConfigurationError } from '../../errors/index.js';
import type { Clock } from '../../time/clock.js';
import { withinTime } from '../../time/timer.js';
import { type Fragment, raw } from './statement.js';

export type Row = Readonly<Record<string, unknown>>;

/** @throws {ConfigurationError} the library returns something else, or renames columns: a row would be read as one without them. */
export function rowsOf(rows: unknown): readonly Row[] {
  if (!Array.isArray(rows)) {
    throw new ConfigurationError('query', 'must resolve to an array of rows, as objects');
  }
  const renamed = Object.keys(rows[0] ?? {}).find((name) => name !== name.toLowerCase());
  if (renamed === undefined) return rows;
  throw new ConfigurationError(
    'query',
    `must return columns under their own names, such as event_key, and not '${renamed}'; give the inbox a client without the plugin that renames them`,
  );
}

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

/** In Postgres, what is stored is acknowledged, and a committed command is sent: so both are on the disk before. */
const DURABLY =
  "case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', true) end";

/** The same, at the end of a `returning`. */
export const durably = (dialect: 'postgres' | 'sqlite'): Fragment =>
  raw(dialect === 'postgres' ? `, ${DURABLY}` : '');

/**
 * The first statement of a transaction of Postgres. A process that vanishes in it would keep its row locked for hours, and nobody could
 * take over: the server ends it when nothing has happened for 40 s, which is less than the shortest lease.
 */
export const TRANSACTION_SETTINGS = `select set_config('idle_in_transaction_session_timeout', '40000', true), ${DURABLY}`;

/** A statement that is not answered may have been carried out: its rows are claimed again. */
const STATEMENT_MS = 10_000;

/** Of a store and kind: more statements that wait for a lock would take every connection. */
const MAX_LATE = 2;

/** How long a missing answer counts as outstanding. It may also have been lost with its connection, and never come. */
const LATE_MS = 5 * 60_000;

/** A statement that was not answered in time: it keeps a connection of the application's pool. */
export interface LateStatement {
  readonly key: string;
  readonly rows: PromiseLike<unknown>;
  /** Until when it counts, in monotonic ms. */
  readonly until: number;
}

/**
 * Runs a statement outside of a transaction. Virtual time waits for it.
 *
 * @param late - if this key has too many, the statement waits for one of them.
 * @param key - the store, and what the statement may wait for; undefined: it waits for no lock of a row.
 * @throws what the database throws, or an error if it has not answered in time.
 */
export async function runAlone<Tx>(
  database: Database<Tx>,
  clock: Clock,
  statement: Fragment,
  late: Set<LateStatement>,
  key: string | undefined,
): Promise<readonly Row[]> {
  const release = clock.hold?.();
  const now = clock.monotonic();
  for (const each of late) if (each.until <= now) late.delete(each);
  const before = [...late].filter((each) => each.key === key).map(({ rows }) => rows);
  let hasRun = before.length < MAX_LATE;
  let isGivenUp = false;
  const run = () => {
    hasRun = true;
    return database.query(statement);
  };
  const runLater = () => (isGivenUp ? [] : run());
  try {
    const rows = hasRun ? run() : Promise.race(before).then(runLater, runLater);
    if (!isThenable(rows)) return rows;
    const giveUp = () => {
      isGivenUp = true;
      if (hasRun && key !== undefined) keepUntilAnswered(late, { key, rows, until: now + LATE_MS });
      return noAnswer();
    };
    return await withinTime(clock, STATEMENT_MS, async () => rows, giveUp);
  } finally {
    release?.();
  }
}

function keepUntilAnswered(late: Set<LateStatement>, statement: LateStatement): void {
  late.add(statement);
  const answered = () => void late.delete(statement);
  statement.rows.then(answered, answered);
}

const noAnswer = () => new Error(`the database has not answered within ${STATEMENT_MS} ms`);
