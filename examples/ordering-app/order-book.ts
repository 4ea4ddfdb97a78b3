import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Order, OrderEvent } from 'opendelivery-client';
import {
  COMMANDS,
  type CommandName,
  INITIAL_PROGRESS,
  isSame,
  nextProgress,
  type Progress,
  possibleCommands,
} from './progress.js';

/** An order in the database. */
export interface SavedOrder {
  readonly orderId: string;
  readonly details: Order;
  /** The progress by the hub's events. */
  readonly progress: Progress;
  /** The progress after the events that the hub will emit for the commands it has accepted. */
  readonly expected: Progress;
  /** The command that is being sent. */
  readonly sending: CommandName | null;
  /** Why the last command failed, as a sentence for people. */
  readonly problem: string | null;
}

export interface ListedOrder extends SavedOrder {
  /** All events of the order, in the order of their arrival. */
  readonly history: readonly OrderEvent[];
}

// Columns of the type "json" are written by `toJson` and read by `fromJson`.
const SCHEMA = `
  create table if not exists events (
    number integer primary key,
    event_id text not null unique,
    order_id text not null,
    event json not null
  );
  create index if not exists events_by_order on events (order_id, number);
  create table if not exists orders (
    number integer primary key,
    order_id text not null unique,
    details json not null,
    progress json not null,
    expected json not null,
    sending text,
    problem text
  );
  update orders set sending = null, expected = progress,
    problem = 'The application stopped while it was sending "' || sending || '". It is unknown whether the hub processed it.'
    where sending is not null;
`;

const COLUMNS = 'order_id as "orderId", details, progress, expected, sending, problem';

type Row = Record<keyof SavedOrder, string>;

/** The application's database: orders and their events. */
export class OrderBook {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** @param dataDir - the directory, for one process at a time; default: in memory. */
  static open(dataDir?: string): OrderBook {
    if (dataDir) mkdirSync(dataDir, { recursive: true });
    const db = new Database(dataDir ? join(dataDir, 'orders.db') : ':memory:');
    db.exec(SCHEMA);
    return new OrderBook(db);
  }

  has(orderId: string): boolean {
    return this.#find(orderId) !== undefined;
  }

  /** Saves an event and updates its order, in one transaction. Does nothing if the event is already saved. */
  save(event: OrderEvent, details?: Order): void {
    const { eventId, orderId, eventType } = event;
    this.#transaction(() => {
      const { changes } = this.#run(
        'insert into events (event_id, order_id, event) values (?, ?, ?) on conflict do nothing',
        eventId,
        orderId,
        toJson(event),
      );
      if (changes === 0) return;
      if (details) {
        const initial = toJson(nextProgress(INITIAL_PROGRESS, details.lastEvent ?? eventType));
        this.#run(
          'insert into orders (order_id, details, progress, expected) values (?, ?, ?, ?) on conflict do nothing',
          orderId,
          toJson(details),
          initial,
          initial,
        );
      }
      const order = this.#find(orderId);
      if (!order) return;
      const progress = nextProgress(order.progress, eventType);
      this.#run(
        'update orders set progress = ?, expected = ?, problem = ? where order_id = ?',
        toJson(progress),
        toJson(nextProgress(order.expected, eventType)),
        isSame(progress, order.progress) ? order.problem : null,
        orderId,
      );
    });
  }

  /**
   * Marks a command as being sent. Returns undefined if it is not possible, or
   * if another one is being sent: of two clicks on a button, only one succeeds.
   */
  startCommand(orderId: string, command: CommandName): SavedOrder | undefined {
    return this.#transaction(() => {
      const order = this.#find(orderId);
      if (!order || order.sending || !possibleCommands(order.expected, order.details).includes(command))
        return;
      this.#run(
        'update orders set sending = ?, expected = ?, problem = null where order_id = ?',
        command,
        toJson(nextProgress(order.expected, COMMANDS[command].leadsTo)),
        orderId,
      );
      return order;
    });
  }

  /** Saves the result of a command. After a problem, only the hub's events count. */
  finishCommand(orderId: string, problem: string | null): void {
    this.#run(
      `update orders set sending = null, problem = ?1,
         expected = case when ?1 is null then expected else progress end where order_id = ?2`,
      problem,
      orderId,
    );
  }

  /** Open orders, oldest first, then finished orders, newest first. */
  list(limit = 200): ListedOrder[] {
    const rows = this.#db
      .prepare(
        `select ${COLUMNS}, progress ->> 'stage' in ('CONCLUDED', 'CANCELLED') as finished,
           (select json_group_array(json(event)) from
             (select event from events where events.order_id = orders.order_id order by number)) as history
         from orders order by finished, case when finished then -number else number end limit ?`,
      )
      .all(limit) as (Row & { history: string })[];
    return rows.map((row) => ({ ...fromRow(row), history: fromJson<OrderEvent[]>(row.history) }));
  }

  close(): void {
    this.#db.close();
  }

  #find(orderId: string): SavedOrder | undefined {
    const row = this.#db.prepare(`select ${COLUMNS} from orders where order_id = ?`).get(orderId);
    return row ? fromRow(row as Row) : undefined;
  }

  #run(statement: string, ...parameters: (string | null)[]): Database.RunResult {
    return this.#db.prepare(statement).run(...parameters);
  }

  /** The work is synchronous, so nothing else runs in between. */
  #transaction<Result>(work: () => Result): Result {
    return this.#db.transaction(work).immediate();
  }
}

function fromRow({ orderId, details, progress, expected, sending, problem }: Row): SavedOrder {
  return {
    orderId,
    details: fromJson(details),
    progress: fromJson(progress),
    expected: fromJson(expected),
    sending: sending as CommandName | null,
    problem,
  };
}

const toJson = (value: unknown): string => JSON.stringify(value);

const fromJson = <Value>(text: string): Value => JSON.parse(text) as Value;
