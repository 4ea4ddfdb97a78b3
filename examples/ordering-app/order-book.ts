import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import {
  type NextCommand,
  nextCommands,
  type Order,
  type OrderEvent,
  type OrderProgress,
  orderProgress,
} from 'opendelivery-client';
import { expectedPosition, isSame, stillAccepted } from './expected.js';
import { STAGE_NAMES } from './texts.js';

/** An order in the database. */
export interface SavedOrder {
  readonly orderId: string;
  readonly details: Order;
  /** The progress by the hub's events. */
  readonly progress: OrderProgress;
  /** The commands that the hub has accepted and whose event has not arrived. */
  readonly accepted: readonly NextCommand[];
  /** The command that is being sent. */
  readonly sending: NextCommand | null;
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
    accepted json not null default '[]',
    sending text,
    problem text
  );
  update orders set sending = null, accepted = '[]',
    problem = 'O aplicativo parou enquanto enviava um comando. Não se sabe se o hub o processou.'
    where sending is not null;
`;

const COLUMNS = 'order_id as "orderId", details, progress, accepted, sending, problem';

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

  find(orderId: string): SavedOrder | undefined {
    return this.#find(orderId);
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
      if (details) this.#add(orderId, details);
      const order = this.#find(orderId);
      if (!order) return;
      const progress = orderProgress(order.progress, event);
      this.#run(
        'update orders set progress = ?, accepted = ?, problem = ? where order_id = ?',
        toJson(progress),
        toJson(stillAccepted(order.accepted, eventType)),
        isSame(progress, order.progress) ? order.problem : null,
        orderId,
      );
    });
  }

  /**
   * Marks a command as being sent. Returns undefined if it is not possible, or
   * if another one is being sent: of two clicks on a button, only one succeeds.
   */
  startCommand(orderId: string, command: NextCommand): SavedOrder | undefined {
    return this.#transaction(() => {
      const order = this.#find(orderId);
      if (!order || !possibleCommands(order).includes(command)) return;
      this.#run('update orders set sending = ?, problem = null where order_id = ?', command, orderId);
      return order;
    });
  }

  /** Saves the result of a command. After a problem, only the hub's events count. */
  finishCommand(orderId: string, problem: string | null): void {
    this.#run(
      `update orders set sending = null, problem = ?1,
         accepted = case when ?1 is null then json_insert(accepted, '$[#]', sending) else '[]' end where order_id = ?2`,
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

  /**
   * Adds an order. Its earlier events may have come before it could be read, and another program may have sent
   * commands whose events are not here yet.
   */
  #add(orderId: string, details: Order): void {
    const rows = this.#db.prepare('select event from events where order_id = ?').all(orderId);
    const seen = (rows as { event: string }[]).map(({ event }) => fromJson<OrderEvent>(event));
    const { lastEvent = '' } = details;
    const known = Object.hasOwn(STAGE_NAMES, lastEvent) ? [{ eventId: '', eventType: lastEvent }] : [];
    const progress = [...known, ...seen].reduce<OrderProgress | undefined>(orderProgress, undefined);
    this.#run(
      'insert into orders (order_id, details, progress) values (?, ?, ?) on conflict do nothing',
      orderId,
      toJson(details),
      toJson(progress),
    );
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

/** The commands that are possible now. While one is being sent, there are none. */
export const possibleCommands = ({ progress, accepted, sending, details }: SavedOrder): NextCommand[] =>
  sending ? [] : nextCommands(expectedPosition(progress, accepted), details);

function fromRow({ orderId, details, progress, accepted, sending, problem }: Row): SavedOrder {
  return {
    orderId,
    details: fromJson(details),
    progress: fromJson(progress),
    accepted: fromJson(accepted),
    sending: sending as NextCommand | null,
    problem,
  };
}

const toJson = (value: unknown): string => JSON.stringify(value);

const fromJson = <Value>(text: string): Value => JSON.parse(text) as Value;
