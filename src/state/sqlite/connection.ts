import { statSync } from 'node:fs';
import { nextTurn } from '../../async/next-turn.js';
import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import type { MaybePromise } from '../port.js';
import { type Database, type Driver, findDriver, type Statement } from './driver.js';
import { isBusy, toStateError } from './failure.js';
import { migrate, rollBack } from './schema.js';

/** How long SQLite blocks the event loop while another process writes. */
const BLOCKING_MS = 10;

/** And how often it then waits once more, in a later turn of the event loop: about five seconds in all. */
const TRIES = 500;

/** The same while the file is opened, when nothing else waits for the process. */
const OPENING_MS = 5000;

/** `FULL` resolves when the change is on the disk; `NORMAL` survives the end of the process, but a power cut can lose it. */
export type Durability = 'FULL' | 'NORMAL';

/** One connection to the file: transactions, and prepared statements by their text. */
export class Connection {
  readonly path: string;
  readonly driver: string;
  readonly #database: Database;
  readonly #inode: bigint;
  readonly #statements = new Map<string, Statement>();
  #durability: Durability | undefined;
  #isClosed = false;

  /** @throws {StateError} SQLite cannot open the file; the message says what to do. */
  constructor(path: string) {
    const driver = findDriver();
    this.path = path;
    this.driver = driver.name;
    this.#database = open(driver, path);
    this.#inode = inodeOf(path);
  }

  /** Whether the file is still the one that the path means. */
  get isCurrent(): boolean {
    return !this.#isClosed && inodeOf(this.path) === this.#inode;
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

  /** One transaction, at once or, while another process writes, a few turns of the event loop later. */
  write<Result>(
    durability: Durability | (() => Durability),
    clock: Clock,
    work: () => Result,
  ): MaybePromise<Result> {
    return this.#untilFree(clock, () => {
      this.#require(typeof durability === 'function' ? durability() : durability);
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

  /** One statement, which usually changes nothing. */
  read<Result>(clock: Clock, work: () => Result): MaybePromise<Result> {
    return this.#untilFree(clock, work);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    this.#database.close();
  }

  /** Only outside of a transaction. */
  #require(durability: Durability): void {
    if (this.#durability === durability) return;
    this.#database.exec(`PRAGMA synchronous = ${durability}`);
    this.#durability = durability;
  }

  #untilFree<Result>(clock: Clock, work: () => Result): MaybePromise<Result> {
    const checked = () => {
      if (!this.isCurrent) throw new StateError(this.#whyUnusable());
      return work();
    };
    try {
      return checked();
    } catch (error) {
      if (!isBusy(error)) throw toStateError('using', this.path, error);
    }
    return this.#again(clock, checked);
  }

  async #again<Result>(clock: Clock, work: () => Result): Promise<Result> {
    const release = clock.hold?.();
    try {
      for (let tries = 1; ; tries += 1) {
        await nextTurn();
        try {
          return work();
        } catch (error) {
          if (tries === TRIES || !isBusy(error)) throw toStateError('using', this.path, error);
        }
      }
    } finally {
      release?.();
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
    migrate(database, path);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA busy_timeout = ${BLOCKING_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw toStateError('opening', path, error);
  }
}

/** @returns 0 if the file does not exist. */
const inodeOf = (path: string): bigint => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? 0n;
