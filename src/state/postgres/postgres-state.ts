import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import { object, resolve, string } from '../../option-checks.js';
import {
  type Lease,
  type LeaseRequest,
  MAX_LIFETIME_MS,
  type Mark,
  type MarkChange,
  type RecallRequest,
  type Reservation,
  type ReservationRequest,
  type SetOptions,
  type Settlement,
  type State,
} from '../port.js';
import { fromStoredText, toStoredText } from '../stored-text.js';
import { toStateError } from './failure.js';
import { migrationOf } from './tables.js';

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

export interface PostgresStateOptions {
  /** The schema of the tables. Default 'opendelivery'. */
  readonly schema: string;
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
export function postgresState(
  pool: PostgresPool,
  options: Partial<PostgresStateOptions> = {},
): PostgresState {
  const { schema } = resolve<PostgresStateOptions>(
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
  const state = ofPool.get(schema) ?? new SharedState(pool, schema);
  ofPool.set(schema, state);
  return state;
}

type Row = Readonly<Record<string, unknown>>;

class SharedState implements PostgresState {
  readonly #pool: PostgresPool;
  /** In double quotes. */
  readonly #schema: string;
  /** Calls that have not settled. */
  #pending = 0;

  constructor(pool: PostgresPool, schema: string) {
    this.#pool = pool;
    this.#schema = `"${schema}"`;
  }

  async migrate(): Promise<void> {
    await this.#query(migrationOf(this.#schema), []);
  }

  async get(key: string, clock: Clock): Promise<string | undefined> {
    const { reply } = await this.#call('get', [toIndexedText(key)], clock);
    return reply === null ? undefined : fromStoredText(String(reply));
  }

  async set(
    key: string,
    value: string | undefined,
    { forMs, ifEquals }: SetOptions,
    clock: Clock,
  ): Promise<void> {
    const text = value === undefined ? null : toStoredText(value);
    const expected = ifEquals === undefined ? null : toStoredText(ifEquals);
    await this.#call('set', [toIndexedText(key), text, wholeMs(forMs), expected], clock);
  }

  async reserve(
    key: string,
    { limit, holdMs, lease }: ReservationRequest,
    clock: Clock,
  ): Promise<Reservation> {
    const id = randomUUID();
    const parameters = [toIndexedText(key), id, limit, wholeMs(holdMs), ...leaseParametersOf(lease)];
    const row = await this.#call('reserve', parameters, clock).catch((error: unknown) => {
      // The slot may have been granted, and only the reply was lost; no request uses it.
      this.settle(key, { id, freeInMs: 0 }, clock).catch(() => {});
      throw error;
    });
    const fenced = row.fence === null ? {} : { fence: Number(row.fence) };
    if (row.refused === null) return { granted: true, id, remaining: Number(row.remaining), ...fenced };
    const reason = row.refused as 'quota' | 'shut' | 'leased';
    return { granted: false, waitMs: Number(row.wait_ms), reason, ...fenced };
  }

  async settle(key: string, { id, freeInMs = 0, shutMs = 0 }: Settlement, clock: Clock): Promise<void> {
    const slot = id === undefined ? null : toIndexedText(id);
    await this.#call('settle', [toIndexedText(key), slot, wholeMs(freeInMs), wholeMs(shutMs)], clock);
  }

  async lease(key: string, request: LeaseRequest, clock: Clock): Promise<Lease> {
    const row = await this.#call('lease', [toIndexedText(key), ...leaseParametersOf(request)], clock);
    if (row.fence === null) return { granted: false, waitMs: Number(row.wait_ms) };
    return { granted: true, fence: Number(row.fence) };
  }

  async recall(
    key: string,
    ids: readonly string[],
    { handledMs, attemptedMs, count }: RecallRequest,
    clock: Clock,
  ): Promise<readonly Mark[]> {
    if (ids.length === 0) return [];
    const chosen = new Set(count?.ids);
    const { reply } = await this.#call(
      'recall',
      [
        toIndexedText(key),
        ids.map(toIndexedText),
        ids.map((id) => chosen.has(id)),
        count?.below ?? 0,
        wholeMs(handledMs),
        wholeMs(attemptedMs),
      ],
      clock,
    );
    if (!Array.isArray(reply)) throw invalidReply('recall');
    return reply.map((attempts) => ({ handled: attempts < 0, attempts: Math.max(0, attempts) }));
  }

  async mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): Promise<void> {
    if (ids.length === 0) return;
    const [name, by] = 'handled' in change ? ['mark_handled', []] : ['mark_attempted', [change.attempts]];
    const parameters = [toIndexedText(key), ids.map(toIndexedText), ...by, wholeMs(change.forMs)];
    await this.#call(name, parameters, clock);
  }

  /** One call of a function of `tables.ts`. Virtual time waits for it, but not for a pool whose connections others have. */
  async #call(name: string, parameters: readonly unknown[], clock: Clock): Promise<Row> {
    const places = parameters.map((_parameter, index) => `$${index + 1}`).join(', ');
    const release = this.#isExhausted() ? undefined : clock.hold?.();
    this.#pending += 1;
    try {
      const rows = await this.#query(`select * from ${this.#schema}.state_${name}(${places}) as reply`, [
        ...parameters,
      ]);
      const row = rows?.[0];
      if (typeof row !== 'object' || row === null) throw invalidReply(name);
      return row as Row;
    } finally {
      this.#pending -= 1;
      release?.();
    }
  }

  async #query(text: string, parameters: unknown[]): Promise<readonly unknown[]> {
    try {
      return (await this.#pool.query(text, parameters)).rows;
    } catch (error) {
      throw toStateError(error);
    }
  }

  /** Whether others have all connections, so that a call waits for any time. */
  #isExhausted(): boolean {
    const { idleCount, totalCount = 0, waitingCount = 0, options } = this.#pool;
    const ownConnections = this.#pending - waitingCount;
    return idleCount === 0 && totalCount - ownConnections >= (options?.max ?? Number.POSITIVE_INFINITY);
  }
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
