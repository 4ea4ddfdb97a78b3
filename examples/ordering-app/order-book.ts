import { mkdir } from 'node:fs/promises';
import { PGlite, type Transaction } from '@electric-sql/pglite';
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

// json, not jsonb: jsonb refuses a \u0000, and a customer may write what they like.
const SCHEMA = `
  create table if not exists events (
    event_id text primary key,
    order_id text not null,
    number bigint generated always as identity,
    event json not null
  );
  create index if not exists events_by_order on events (order_id);
  create table if not exists orders (
    order_id text primary key,
    number bigint generated always as identity,
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

/** The application's database: orders, and every event by its id. */
export class OrderBook {
  readonly #db: PGlite;

  private constructor(db: PGlite) {
    this.#db = db;
  }

  /** @param dataDir - where it is kept, for one process at a time; in memory without. */
  static async open(dataDir?: string): Promise<OrderBook> {
    if (dataDir) await mkdir(dataDir, { recursive: true });
    const db = await PGlite.create(dataDir ?? 'memory://');
    await db.exec(SCHEMA);
    return new OrderBook(db);
  }

  async has(orderId: string): Promise<boolean> {
    const { rows } = await this.#db.query('select 1 from orders where order_id = $1', [orderId]);
    return rows.length > 0;
  }

  /** Keeps an event and what it does to its order, both or neither; one that is here already changes nothing. */
  async receive(event: OrderEvent, details?: Order): Promise<void> {
    const { eventId, orderId, eventType } = event;
    await this.#db.transaction(async (tx) => {
      const { rows } = await tx.query(
        'insert into events (event_id, order_id, event) values ($1, $2, $3) on conflict do nothing returning 1',
        [eventId, orderId, event],
      );
      if (rows.length === 0) return;
      if (details) {
        await tx.query(
          'insert into orders (order_id, details, progress, expected) values ($1, $2, $3, $3) on conflict do nothing',
          [orderId, details, after(BEGINNING, details.lastEvent ?? eventType)],
        );
      }
      const order = await lock(tx, orderId);
      if (!order) return;
      const progress = after(order.progress, eventType);
      await tx.query('update orders set progress = $2, expected = $3, problem = $4 where order_id = $1', [
        orderId,
        progress,
        after(order.expected, eventType),
        isSame(progress, order.progress) ? order.problem : null,
      ]);
    });
  }

  /**
   * Notes that a command is going out. Undefined where it is not possible, or
   * another one is on its way: of two clicks on one button, one gets the order.
   */
  begin(orderId: string, command: CommandName): Promise<KeptOrder | undefined> {
    return this.#db.transaction(async (tx) => {
      const order = await lock(tx, orderId);
      if (!order || order.sending || !commandsFor(order.expected, order.details).includes(command)) return;
      await tx.query('update orders set sending = $2, expected = $3, problem = null where order_id = $1', [
        orderId,
        command,
        after(order.expected, COMMANDS[command].leadsTo),
      ]);
      return order;
    });
  }

  /** Notes how it went; after a problem nothing is expected but what the events say. */
  async end(orderId: string, problem: string | null): Promise<void> {
    await this.#db.query(
      `update orders set sending = null, problem = $2::text,
         expected = case when $2::text is null then expected else progress end where order_id = $1`,
      [orderId, problem],
    );
  }

  /** Those under way, the oldest first, then the latest of the finished ones. */
  async list(limit = 200): Promise<ListedOrder[]> {
    const { rows } = await this.#db.query<ListedOrder>(
      `select ${COLUMNS}, (select json_agg(event order by events.number) from events
           where events.order_id = orders.order_id) as history
         from orders, lateral (select progress ->> 'stage' in ('CONCLUDED', 'CANCELLED') as finished) as state
         order by finished, case when finished then -number else number end limit $1`,
      [limit],
    );
    return rows;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}

async function lock(tx: Transaction, orderId: string): Promise<KeptOrder | undefined> {
  const { rows } = await tx.query<KeptOrder>(`select ${COLUMNS} from orders where order_id = $1 for update`, [
    orderId,
  ]);
  return rows[0];
}
