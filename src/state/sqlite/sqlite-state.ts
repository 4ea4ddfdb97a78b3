import type { Clock } from '../../clock.js';
import type {
  Lease,
  LeaseRequest,
  Mark,
  MarkChange,
  MaybePromise,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
} from '../port.js';
import type { Connection, Durability } from './connection.js';
import type { FileState } from './file-state.js';
import { Marks } from './marks.js';
import { Quotas } from './quotas.js';
import { Values } from './values.js';

/** State in a database of SQLite. Every call is one transaction. */
export class SqliteState implements FileState {
  readonly driver: string;
  readonly #connection: Connection;
  readonly #values: Values;
  readonly #quotas: Quotas;
  readonly #marks: Marks;
  readonly #onClosed: () => void;

  constructor(connection: Connection, onClosed: () => void) {
    this.driver = connection.driver;
    this.#connection = connection;
    this.#values = new Values(connection);
    this.#quotas = new Quotas(connection);
    this.#marks = new Marks(connection);
    this.#onClosed = onClosed;
  }

  /** Whether the file is still the one that its path means. */
  get isCurrent(): boolean {
    return this.#connection.isCurrent;
  }

  get(key: string, clock: Clock): MaybePromise<string | undefined> {
    return this.#connection.read(clock, () => this.#values.get(key, clock.now()));
  }

  set(key: string, value: string | undefined, options: SetOptions, clock: Clock): MaybePromise<void> {
    return this.#connection.write('NORMAL', clock, () => this.#values.set(key, value, options, clock.now()));
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): MaybePromise<Reservation> {
    const durability = () => this.#durabilityOf(key, request.lease);
    return this.#connection.write(durability, clock, () => this.#quotas.reserve(key, request, clock));
  }

  settle(key: string, change: Settlement, clock: Clock): MaybePromise<void> {
    return this.#connection.write('NORMAL', clock, () => this.#quotas.settle(key, change, clock.now()));
  }

  lease(key: string, request: LeaseRequest, clock: Clock): MaybePromise<Lease> {
    const durability = () => this.#durabilityOf(key, request);
    return this.#connection.write(durability, clock, () => this.#quotas.lease(key, request, clock));
  }

  recall(
    key: string,
    ids: readonly string[],
    request: RecallRequest,
    clock: Clock,
  ): MaybePromise<readonly Mark[]> {
    const durability = request.count ? 'FULL' : 'NORMAL';
    return this.#connection.write(durability, clock, () =>
      this.#marks.recall(key, ids, request, clock.now()),
    );
  }

  mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): MaybePromise<void> {
    return this.#connection.write('FULL', clock, () => this.#marks.mark(key, ids, change, clock.now()));
  }

  async close(): Promise<void> {
    this.#connection.close();
    this.#onClosed();
  }

  /** Only a new fence must be on the disk. */
  #durabilityOf(key: string, lease: LeaseRequest | undefined): Durability {
    return this.#quotas.isNewHolder(key, lease) ? 'FULL' : 'NORMAL';
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
