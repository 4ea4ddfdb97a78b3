import { statSync } from 'node:fs';
import { StateError } from '../../errors/index.js';
import type { Clock } from '../../time/clock.js';
import { realPause } from '../../time/real-pause.js';
import type { MaybePromise } from '../port.js';
import { protectFiles } from './database-file.js';
import type { Database, Driver, Statement } from './driver.js';
import { isBusy, toStateError } from './failure.js';
import { migrate, rollBack, throwIfForeign } from './schema.js';

/** While another process writes, a call tries again after this long. SQLite itself does not wait: it would block the event loop. */
const PAUSE_MS = 5;

/** After this many failed tries in a row, about four seconds, the call fails. */
const TRIES = 600;

/** How long SQLite waits, and blocks the event loop, while the file is opened. */
const OPENING_MS = 5000;

/** `FULL` resolves when the change is on the disk; `NORMAL` survives the end of the process, but a power cut can lose it. */
export type Durability = 'FULL' | 'NORMAL';

/** One connection to the file: transactions, and prepared statements by their text. */
export class Connection {
  readonly path: string;
  readonly #database: Database;
  readonly #inodes: string;
  readonly #statements = new Map<string, Statement>();
  #durability: Durability | undefined;
  #failedTries = 0;
  /** Settles when the last waiting call has ended. They wait one after another, so only one of them tries again. */
  #queue: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @throws {StateError} SQLite cannot open the file; the message says what to do. */
  constructor(driver: Driver, path: string) {
    this.path = path;
    this.#database = open(driver, path);
    this.#inodes = inodesOf(path);
  }

  /** Whether the file and its log are still the ones that the path means. */
  get isCurrent(): boolean {
    return !this.#isClosed && inodesOf(this.path) === this.#inodes;
  }

  /** The statement, prepared when it is used for the first time. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Runs statements at once or, while another process writes, later. */
  whenFree<Result>(clock: Clock, work: () => Result): MaybePromise<Result> {
    try {
      return this.#tryOnce(work);
    } catch (error) {
      if (!isBusy(error)) throw toStateError('using', this.path, error);
    }
    const waiting = this.#again(clock, this.#queue, work);
    this.#queue = waiting.then(nothing, nothing);
    return waiting;
  }

  /** One transaction, as `whenFree`. */
  write<Result>(
    durability: Durability | (() => Durability),
    clock: Clock,
    work: () => Result,
  ): MaybePromise<Result> {
    return this.whenFree(clock, () => {
      this.#setDurability(typeof durability === 'function' ? durability() : durability);
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(this.#database);
        throw error;
      }
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    this.#database.close();
  }

  /** Only outside of a transaction. */
  #setDurability(durability: Durability): void {
    if (this.#durability === durability) return;
    this.#database.exec(`PRAGMA synchronous = ${durability}`);
    this.#durability = durability;
  }

  async #again<Result>(clock: Clock, earlier: Promise<void>, work: () => Result): Promise<Result> {
    const release = clock.hold?.();
    try {
      await earlier;
      for (;;) {
        await realPause(this.#failedTries < TRIES ? PAUSE_MS : 0);
        try {
          return this.#tryOnce(work);
        } catch (error) {
          if (!isBusy(error) || this.#failedTries >= TRIES) throw toStateError('using', this.path, error);
        }
      }
    } finally {
      release?.();
    }
  }

  #tryOnce<Result>(work: () => Result): Result {
    if (!this.isCurrent) throw new StateError(this.#whyUnusable());
    try {
      const result = work();
      this.#failedTries = 0;
      return result;
    } catch (error) {
      this.#failedTries = isBusy(error) ? this.#failedTries + 1 : 0;
      throw error;
    }
  }

  #whyUnusable(): string {
    if (this.#isClosed) return `fileState: ${this.path} is closed; open it again with fileState`;
    return `fileState: ${this.path} was removed or replaced while it was open; end the process and start it again`;
  }
}

function open(driver: Driver, path: string): Database {
  let database: Database | undefined;
  try {
    database = driver.open(path);
    database.exec(`PRAGMA busy_timeout = ${OPENING_MS}`);
    throwIfForeign(database, path);
    database.exec('PRAGMA busy_timeout = 0');
    writeAhead(database);
    database.exec(`PRAGMA busy_timeout = ${OPENING_MS}`);
    migrate(database);
    protectFiles(path);
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (error) {
    database?.close();
    throw toStateError('opening', path, error);
  }
}

/**
 * Of processes that do it at once, SQLite refuses all but one, whatever its own time limit: they have all read the file,
 * so that none could go on.
 */
function writeAhead(database: Database): void {
  for (let triesLeft = OPENING_MS / PAUSE_MS; ; triesLeft -= 1) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || triesLeft === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

/** Of the file, its log and the index of the log, which has the locks; 0 for one that does not exist. */
const inodesOf = (path: string): string => ['', '-wal', '-shm'].map((end) => inodeOf(path + end)).join(' ');

const inodeOf = (path: string): bigint => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;

const nothing = () => {};
