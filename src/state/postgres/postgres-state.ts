/// <reference path="./sql-file.d.ts" />
import { createHash, randomUUID } from 'node:crypto';
import TABLES from '../../../sql/postgres-state.sql';
import { unlessFails } from '../../async/promises.js';
import { StateError } from '../../errors/index.js';
import { object, resolve, string } from '../../options/checks.js';
import type { Clock } from '../../time/clock.js';
import { type LeaseRequest, MAX_LIFETIME_MS, type State } from '../port.js';
import { fromStoredText, toStoredText } from '../stored-text.js';
import { toStateError } from './failure.js';

/** The part of node-postgres' `Pool` that is used. PGlite and other clients with the same `query` fit too. */
export interface PostgresPool {
  /** Runs one statement with its parameters. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Adds a listener. Absent: the client emits no errors. */
  on?(name: 'error', listener: (error: Error) => void): unknown;
  /** Connections that nobody uses now. Absent: not known. */
  readonly idleCount?: number;
  /** All connections. Absent: not known. */
  readonly totalCount?: number;
  /** Queries that wait for a connection. Absent: not known. */
  readonly waitingCount?: number;
  /** How the pool was made. Absent: not known. */
  readonly options?: {
    /** The most connections of the pool. Absent: no limit. */
    readonly max?: number | undefined;
  };
}

/** Options of `postgresState`. */
export interface PostgresStateOptions {
  /** The schema of the tables. Default 'opendelivery'. */
  readonly schema?: string | undefined;
}

/** A state in PostgreSQL. */
export interface PostgresState extends State {
  /**
   * Makes the tables and functions, if they are not there. Several processes
   * may call it at once.
   *
   * @throws {StateError} the server cannot be reached, or the user may not make them.
   */
  migrate(): Promise<void>;
}

/** One state per pool and schema. */
const states = new WeakMap<object, Map<string, PostgresState>>();

const checkPool = object<PostgresPool>(
  "a Pool of node-postgres (new Pool({ connectionString: 'postgres://…' })), or an object with its query()",
  'query',
);

/**
 * State in PostgreSQL (tested with 15 and 18), for any number of processes and machines:
 * tokens, quotas, leases, handled events and the merchant document. Every
 * operation is one statement, is atomic, and uses the clock of the server. Rows
 * that have ended are deleted by later calls.
 *
 * Among all pollers of a store that share the state, one has the lease and
 * polls; the others wait for it.
 *
 * While Postgres is down, calls reject with a `StateError` that says what to
 * check; they succeed again as soon as the pool can connect. A connection of the
 * pool that breaks while nobody uses it does not end the process: the pool gets
 * an `error` listener.
 *
 * @param pool - the application's pool, which the application ends.
 * @throws {ConfigurationError} `pool` has no `query`, or an option is wrong.
 * @example
 * const state = postgresState(new Pool({ connectionString: process.env.DATABASE_URL }));
 * await state.migrate();
 */
export function postgresState(pool: PostgresPool, options: PostgresStateOptions = {}): PostgresState {
  const { schema } = resolve<{ readonly schema: string }>(
    '',
    options,
    { schema: 'opendelivery' },
    {
      schema: string(
        "the name of a schema such as 'opendelivery': at most 63 letters, digits, _ and -",
        /^[\w-]{1,63}$/,
      ),
    },
  );
  checkPool('pool', pool);
  let ofPool = states.get(pool);
  if (!ofPool) {
    ofPool = new Map();
    states.set(pool, ofPool);
    // Without a listener, Node ends the process. The next call reports what is wrong.
    pool.on?.('error', () => {});
  }
  const state = ofPool.get(schema) ?? sharedState(pool, `"${schema}"`);
  ofPool.set(schema, state);
  return state;
}

type Row = Readonly<Record<string, unknown>>;

/** @param schema - in double quotes. */
function sharedState(pool: PostgresPool, schema: string): PostgresState {
  /** Calls that have not settled. */
  let pending = 0;

  /** Whether others have all connections, so that a call waits for any time. */
  const isExhausted = () => {
    const { idleCount, totalCount = 0, waitingCount = 0, options } = pool;
    const ownConnections = pending - waitingCount;
    return idleCount === 0 && totalCount - ownConnections >= (options?.max ?? Number.POSITIVE_INFINITY);
  };
  const query = async (text: string, parameters: unknown[]): Promise<readonly unknown[]> => {
    try {
      return (await pool.query(text, parameters)).rows;
    } catch (error) {
      throw toStateError(error);
    }
  };
  /** One call of a function of the tables. Virtual time waits for it, but not for a pool whose connections others have. */
  const call = async (name: string, clock: Clock, ...parameters: unknown[]): Promise<Row> => {
    const places = parameters.map((_parameter, index) => `$${index + 1}`).join(', ');
    const release = isExhausted() ? undefined : clock.hold?.();
    pending += 1;
    try {
      const rows = await query(`select * from ${schema}.state_${name}(${places}) as reply`, parameters);
      const row = rows?.[0];
      if (typeof row !== 'object' || row === null) throw invalidReply(name);
      return row as Row;
    } finally {
      pending -= 1;
      release?.();
    }
  };
  const state: PostgresState = {
    async migrate() {
      await query(migrationOf(schema), []);
    },
    async get(key, clock) {
      const { reply } = await call('get', clock, toIndexedText(key));
      return reply === null ? undefined : fromStoredText(String(reply));
    },
    async set(key, value, { forMs, ifEquals }, clock) {
      const text = value === undefined ? null : toStoredText(value);
      const expected = ifEquals === undefined ? null : toStoredText(ifEquals);
      await call('set', clock, toIndexedText(key), text, wholeMs(forMs), expected);
    },
    async reserve(key, { limit, holdMs, lease }, clock) {
      const id = randomUUID();
      const slot = [toIndexedText(key), id, limit, wholeMs(holdMs)];
      const row = await call('reserve', clock, ...slot, ...leaseParametersOf(lease)).catch((error) => {
        // The slot may have been granted, and only the reply was lost; no request uses it.
        void unlessFails(() => state.settle(key, { id, freeInMs: 0 }, clock));
        throw error;
      });
      const fenced = row.fence === null ? {} : { fence: Number(row.fence) };
      if (row.refused === null) return { granted: true, id, remaining: Number(row.remaining), ...fenced };
      const reason = row.refused as 'quota' | 'shut' | 'leased';
      return { granted: false, waitMs: Number(row.wait_ms), reason, ...fenced };
    },
    async settle(key, { id, freeInMs = 0, shutMs = 0 }, clock) {
      const slot = id === undefined ? null : toIndexedText(id);
      await call('settle', clock, toIndexedText(key), slot, wholeMs(freeInMs), wholeMs(shutMs));
    },
    async lease(key, request, clock) {
      const row = await call('lease', clock, toIndexedText(key), ...leaseParametersOf(request));
      if (row.fence === null) return { granted: false, waitMs: Number(row.wait_ms) };
      return { granted: true, fence: Number(row.fence) };
    },
    async recall(key, ids, { handledMs, attemptedMs, count }, clock) {
      if (ids.length === 0) return [];
      const chosen = new Set(count?.ids);
      const isChosen = ids.map((id) => chosen.has(id));
      const request = [count?.below ?? 0, wholeMs(handledMs), wholeMs(attemptedMs)];
      const { reply } = await call(
        'recall',
        clock,
        toIndexedText(key),
        ids.map(toIndexedText),
        isChosen,
        ...request,
      );
      if (!Array.isArray(reply)) throw invalidReply('recall');
      return reply.map((attempts) => ({ handled: attempts < 0, attempts: Math.max(0, attempts) }));
    },
    async mark(key, ids, change, clock) {
      if (ids.length === 0) return;
      const [name, by] = 'handled' in change ? ['mark_handled', []] : ['mark_attempted', [change.attempts]];
      await call(name, clock, toIndexedText(key), ids.map(toIndexedText), ...by, wholeMs(change.forMs));
    },
  };
  return state;
}

/**
 * One statement that makes the tables and functions if they are not there. It is one transaction, and other
 * processes wait for it.
 *
 * @param schema - in double quotes.
 */
export function migrationOf(schema: string): string {
  const tables = TABLES.replaceAll('opendelivery', schema);
  return `do $migrate$
begin
  perform pg_advisory_xact_lock(hashtextextended('opendelivery-client', 0));
  if to_regprocedure('${schema}.state_version()') is null then
${tables}
  end if;
end $migrate$`;
}

function leaseParametersOf(lease: LeaseRequest | undefined): unknown[] {
  return lease ? [toIndexedText(lease.holder), wholeMs(lease.leaseMs)] : [null, null];
}

/** The row of an index has at most 2,700 bytes, and a UTF-16 unit of a string at most three. */
const MAX_INDEXED_LENGTH = 400;

/** A key or an id; a long one is replaced by its hash. In other stored texts, hex digits follow U+FFFF. */
function toIndexedText(id: string): string {
  const text = toStoredText(id);
  if (text.length <= MAX_INDEXED_LENGTH) return text;
  return `\uffff#${createHash('sha256').update(text).digest('hex')}`;
}

function wholeMs(ms: number): number {
  return Math.max(0, Math.min(MAX_LIFETIME_MS, Math.ceil(ms)));
}

const invalidReply = (name: string) =>
  new StateError(
    `postgresState: the pool returned an invalid reply to '${name}'; pass a pool of node-postgres that does not transform rows`,
  );
