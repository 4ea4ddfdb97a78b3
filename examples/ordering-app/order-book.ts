import {
  type NextCommand,
  nextCommands,
  type Order,
  type OrderEvent,
  type OrderProgress,
  orderProgress,
} from 'opendelivery-client';
import { type Inbox, type OrderHistory, sqliteInbox } from 'opendelivery-client/sql';
import { type Database, openDatabase } from './database.js';
import { expectedPosition, isSame, stillAccepted } from './expected.js';
import { STAGE_NAMES } from './texts.js';

/** An order in the database. */
export interface SavedOrder {
  readonly orderId: string;
  readonly details: Order;
  /** The progress by the hub's events. */
  readonly progress: OrderProgress;
  /** The commands that the hub has accepted, or that are in the outbox, and whose event has not arrived. */
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

/** A command that a person has sent with a button. Instants are epoch ms. */
export interface Click {
  readonly command: NextCommand;
  readonly sentAt: number;
  readonly answeredAt: number | null;
  readonly problem: string | null;
}

// Columns of the type "json" are written by `toJson` and read by `fromJson`.
const SCHEMA = `
  create table if not exists order_events (
    number integer primary key,
    order_id text not null,
    event json not null
  );
  create index if not exists order_events_by_order on order_events (order_id, number);
  create table if not exists orders (
    number integer primary key,
    order_id text not null unique,
    details json not null,
    progress json not null,
    accepted json not null default '[]',
    sending text,
    problem text
  );
  create table if not exists clicks (
    number integer primary key,
    order_id text not null,
    command text not null,
    sent_at integer not null,
    answered_at integer,
    problem text
  );
  create index if not exists clicks_by_order on clicks (order_id, number);
`;

const STOPPED = 'O aplicativo parou enquanto enviava um comando. Não se sabe se o hub o processou.';

const COLUMNS = 'order_id as "orderId", details, progress, accepted, sending, problem';

type Row = Record<keyof SavedOrder, string>;

/** The application's database: orders, their events and clicks; and the inbox of the client, in the same file. */
export class OrderBook {
  readonly inbox: Inbox<Database>;
  readonly #db: Database;

  private constructor(db: Database) {
    this.#db = db;
    this.inbox = sqliteInbox(db);
  }

  /** @param dataDir - the directory, for one process at a time; default: in memory. */
  static async open(dataDir?: string): Promise<OrderBook> {
    const orders = new OrderBook(await openDatabase(dataDir));
    await orders.inbox.migrate();
    orders.#db.exec(SCHEMA);
    orders.#run('update clicks set problem = ? where answered_at is null and problem is null', STOPPED);
    orders.#run(
      "update orders set sending = null, accepted = '[]', problem = ? where sending is not null",
      STOPPED,
    );
    return orders;
  }

  find(orderId: string): SavedOrder | undefined {
    const row = this.#db.prepare(`select ${COLUMNS} from orders where order_id = ?`).get(orderId);
    return row ? fromRow(row as Row) : undefined;
  }

  /**
   * Saves an event and updates its order. Only inside `commit`: it is a part of that transaction.
   *
   * @returns the order; undefined if its details are not known yet.
   */
  save(event: OrderEvent, details?: Order): SavedOrder | undefined {
    const { orderId, eventType } = event;
    this.#run('insert into order_events (order_id, event) values (?, ?)', orderId, toJson(event));
    if (details) this.#add(orderId, details);
    const order = this.find(orderId);
    if (!order) return undefined;
    const progress = orderProgress(order.progress, event);
    const accepted = stillAccepted(order.accepted, eventType);
    const problem = isSame(progress, order.progress) ? order.problem : null;
    this.#run(
      'update orders set progress = ?, accepted = ?, problem = ? where order_id = ?',
      toJson(progress),
      toJson(accepted),
      problem,
      orderId,
    );
    return { ...order, progress, accepted, problem };
  }

  /** A command was given to the outbox. Only inside `commit`. */
  queueCommand(orderId: string, command: NextCommand): void {
    this.#run(
      "update orders set accepted = json_insert(accepted, '$[#]', ?) where order_id = ?",
      command,
      orderId,
    );
  }

  /** A command of the outbox was refused: from now on, only the hub's events count. */
  refuseCommand(orderId: string, problem: string): void {
    this.#run("update orders set accepted = '[]', problem = ? where order_id = ?", problem, orderId);
  }

  /**
   * Marks a command as being sent. Returns undefined if it is not possible, or
   * if another one is being sent: of two clicks on a button, only one succeeds.
   */
  startCommand(orderId: string, command: NextCommand, now: number): SavedOrder | undefined {
    const order = this.find(orderId);
    if (!order || !possibleCommands(order).includes(command)) return undefined;
    this.#run('update orders set sending = ?, problem = null where order_id = ?', command, orderId);
    this.#run('insert into clicks (order_id, command, sent_at) values (?, ?, ?)', orderId, command, now);
    return order;
  }

  /** Saves the result of a command. After a problem, only the hub's events count. */
  finishCommand(orderId: string, problem: string | null, now: number): void {
    this.#run(
      'update clicks set answered_at = ?, problem = ? where order_id = ? and answered_at is null and problem is null',
      now,
      problem,
      orderId,
    );
    this.#run(
      `update orders set sending = null, problem = ?,
         accepted = case when ? is null then json_insert(accepted, '$[#]', sending) else '[]' end where order_id = ?`,
      problem,
      problem,
      orderId,
    );
  }

  /** What happened to an order: its events with their attempts, the commands of the outbox, and the clicks. */
  async history(orderId: string): Promise<OrderHistory & { readonly clicks: readonly Click[] }> {
    const clicks = this.#db
      .prepare(
        `select command, sent_at as "sentAt", answered_at as "answeredAt", problem
         from clicks where order_id = ? order by number`,
      )
      .all(orderId) as Click[];
    return { ...(await this.inbox.history({ orderId })), clicks };
  }

  /** Open orders, oldest first, then finished orders, newest first. */
  list(limit = 200): ListedOrder[] {
    const rows = this.#db
      .prepare(
        `select ${COLUMNS}, progress ->> 'stage' in ('CONCLUDED', 'CANCELLED') as finished,
           (select json_group_array(json(event)) from
             (select event from order_events where order_events.order_id = orders.order_id order by number)) as history
         from orders
         order by finished, case when finished then -number else julianday(details ->> 'createdAt') end, number limit ?`,
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
    const rows = this.#db.prepare('select event from order_events where order_id = ?').all(orderId);
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

  #run(statement: string, ...parameters: (string | number | null)[]): void {
    this.#db.prepare(statement).run(...parameters);
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
