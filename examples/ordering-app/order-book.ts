import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Order, OrderEvent } from 'opendelivery-client';
import {
  after,
  BEGINNING,
  COMMANDS,
  type CommandName,
  commandsFor,
  isSame,
  type Progress,
} from './lifecycle.js';

/** An order as it is kept. */
export interface KeptOrder {
  readonly orderId: string;
  readonly details: Order;
  /** Where the order stands after the hub's events: the truth. */
  readonly progress: Progress;
  /** Where it will stand when the events of what the hub has been asked for have come. */
  readonly expected: Progress;
  /** The command whose answer is awaited. */
  readonly sending: CommandName | null;
  /** What went wrong with the last command, in words for a person. */
  readonly problem: string | null;
}

export interface ListedOrder extends KeptOrder {
  /** All its events, the first to come first. */
  readonly history: readonly OrderEvent[];
}

// What is named "json" below is written by `write` and read by `read`.
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
    problem = 'The application ended while "' || sending || '" was on its way: it is not known whether the hub carried it out.'
    where sending is not null;
`;

const COLUMNS = 'order_id as "orderId", details, progress, expected, sending, problem';

type Row = Record<keyof KeptOrder, string>;

/** The application's database: orders, and every event by its id. */
export class OrderBook {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** @param dataDir - where it is kept, for one process at a time; in memory without. */
  static open(dataDir?: string): OrderBook {
    if (dataDir) mkdirSync(dataDir, { recursive: true });
    const db = new Database(dataDir ? join(dataDir, 'orders.db') : ':memory:');
    db.exec(SCHEMA);
    return new OrderBook(db);
  }

  has(orderId: string): boolean {
    return this.#kept(orderId) !== undefined;
  }

  /** Keeps an event and what it does to its order, both or neither; one that is here already changes nothing. */
  receive(event: OrderEvent, details?: Order): void {
    const { eventId, orderId, eventType } = event;
    this.#transaction(() => {
      const { changes } = this.#run(
        'insert into events (event_id, order_id, event) values (?, ?, ?) on conflict do nothing',
        eventId,
        orderId,
        write(event),
      );
      if (changes === 0) return;
      if (details) {
        const beginning = write(after(BEGINNING, details.lastEvent ?? eventType));
        this.#run(
          'insert into orders (order_id, details, progress, expected) values (?, ?, ?, ?) on conflict do nothing',
          orderId,
          write(details),
          beginning,
          beginning,
        );
      }
      const order = this.#kept(orderId);
      if (!order) return;
      const progress = after(order.progress, eventType);
      this.#run(
        'update orders set progress = ?, expected = ?, problem = ? where order_id = ?',
        write(progress),
        write(after(order.expected, eventType)),
        isSame(progress, order.progress) ? order.problem : null,
        orderId,
      );
    });
  }

  /**
   * Notes that a command is going out. Undefined where it is not possible, or
   * another one is on its way: of two clicks on one button, one gets the order.
   */
  begin(orderId: string, command: CommandName): KeptOrder | undefined {
    return this.#transaction(() => {
      const order = this.#kept(orderId);
      if (!order || order.sending || !commandsFor(order.expected, order.details).includes(command)) return;
      this.#run(
        'update orders set sending = ?, expected = ?, problem = null where order_id = ?',
        command,
        write(after(order.expected, COMMANDS[command].leadsTo)),
        orderId,
      );
      return order;
    });
  }

  /** Notes how it went; after a problem nothing is expected but what the events say. */
  end(orderId: string, problem: string | null): void {
    this.#run(
      `update orders set sending = null, problem = ?1,
         expected = case when ?1 is null then expected else progress end where order_id = ?2`,
      problem,
      orderId,
    );
  }

  /** Those under way, the oldest first, then the latest of the finished ones. */
  list(limit = 200): ListedOrder[] {
    const rows = this.#db
      .prepare(
        `select ${COLUMNS}, progress ->> 'stage' in ('CONCLUDED', 'CANCELLED') as finished,
           (select json_group_array(json(event)) from
             (select event from events where events.order_id = orders.order_id order by number)) as history
         from orders order by finished, case when finished then -number else number end limit ?`,
      )
      .all(limit) as (Row & { history: string })[];
    return rows.map((row) => ({ ...keptOf(row), history: read<OrderEvent[]>(row.history) }));
  }

  close(): void {
    this.#db.close();
  }

  #kept(orderId: string): KeptOrder | undefined {
    const row = this.#db.prepare(`select ${COLUMNS} from orders where order_id = ?`).get(orderId);
    return row ? keptOf(row as Row) : undefined;
  }

  #run(statement: string, ...parameters: (string | null)[]): Database.RunResult {
    return this.#db.prepare(statement).run(...parameters);
  }

  /** Nothing in it waits, so nothing comes between. */
  #transaction<Result>(work: () => Result): Result {
    return this.#db.transaction(work).immediate();
  }
}

function keptOf({ orderId, details, progress, expected, sending, problem }: Row): KeptOrder {
  return {
    orderId,
    details: read(details),
    progress: read(progress),
    expected: read(expected),
    sending: sending as CommandName | null,
    problem,
  };
}

const write = (value: unknown): string => JSON.stringify(value);

const read = <Value>(text: string): Value => JSON.parse(text) as Value;
