import { fromStoredText, toStoredText } from '../../state/stored-text.js';
import { type Clock, systemClock } from '../../time/clock.js';
import type { Outbox } from '../inbox.js';
import type {
  ClaimedCommand,
  ClaimedEvent,
  ClaimRequest,
  CommandChange,
  CommitRequest,
  InboxTables,
  NewEvent,
  StoreKey,
} from '../tables.js';
import { changeOf, claimCommands, claimEvents, handledAt, isCommandDue, isEventDue } from './claims.js';
import { commit } from './commit.js';
import { type Database, durably, type LateStatement, type Row, runAlone } from './database.js';
import { ofOrder, type Tables } from './schema.js';
import { at, type Fragment, list, raw, sql } from './statement.js';

/** An event has at most so many columns that a statement of these has fewer parameters than any driver allows. */
const EVENTS_PER_STATEMENT = 500;

/** The statements of the engine. Each has its condition in it, so that it is right whatever other processes do. */
export class SqlTables<Tx> implements InboxTables<Tx> {
  clock: Clock | undefined;
  readonly #tables: Tables;
  readonly #database: Database<Tx>;
  readonly #late = new Set<LateStatement>();

  constructor(tables: Tables, database: Database<Tx>) {
    this.#tables = tables;
    this.#database = database;
  }

  use(clock: Clock): void {
    this.clock = clock;
  }

  async insert(store: StoreKey, events: readonly NewEvent[], now: number) {
    const { hub, storeId } = store;
    const { dialect, inbox } = this.#tables;
    let added = 0;
    for (let first = 0; first < events.length; first += EVENTS_PER_STATEMENT) {
      const rows = events
        .slice(first, first + EVENTS_PER_STATEMENT)
        .map(
          ({ key, eventId, orderId, eventType, event }) =>
            sql`(${hub}, ${storeId}, ${key}, ${toStoredText(eventId)}, ${toStoredText(orderId)}, ${toStoredText(eventType)}, ${event}, 'waiting', 0, 0, ${at(now)}, ${at(now)})`,
        );
      const inserted = await this.#query(
        sql`insert into ${inbox}
  (hub, store_id, event_key, event_id, order_id, event_type, event, status, attempts, counted, due_at, received_at)
values ${list(rows)}
on conflict (hub, store_id, event_key) do nothing
returning id${durably(dialect)}`,
        store,
        'insert',
      );
      added += inserted.length;
    }
    return added;
  }

  async due(now: number) {
    const { inbox, outbox } = this.#tables;
    const rows = await this.#query(
      sql`select hub, store_id, 'event' as kind, null as owner from ${inbox}
where handled_at is null and status in ('waiting', 'failed') and ${isEventDue(now)}
union select hub, store_id, 'event' as kind, owner from ${inbox} where handled_at is null and status = 'running'
union select hub, store_id, 'command' as kind, null as owner from ${outbox}
where answered_at is null and ${isCommandDue(now)}`,
    );
    return rows.map(({ hub, store_id, kind, owner }) => ({
      hub: String(hub),
      storeId: String(store_id),
      isCommand: kind === 'command',
      owner: typeof owner === 'string' ? owner : undefined,
    }));
  }

  async claim(store: StoreKey, request: ClaimRequest): Promise<readonly ClaimedEvent[]> {
    const claimed = await this.#query(claimEvents(this.#tables, store, request), store);
    return claimed.toSorted((a, b) => Number(a.id) - Number(b.id)).map(claimedOf);
  }

  async count(store: StoreKey, key: string, owner: string): Promise<void> {
    await this.#change(store, [key], owner, sql`attempts = attempts + 1, counted = 1`);
  }

  async release(
    store: StoreKey,
    events: readonly { readonly key: string; readonly isCounted: boolean }[],
    owner: string,
  ): Promise<void> {
    for (const isCounted of [true, false]) {
      const keys = events.filter((each) => each.isCounted === isCounted).map(({ key }) => key);
      const change = isCounted
        ? sql`status = case when attempts > 1 then 'failed' else 'waiting' end, attempts = attempts - 1, owner = null`
        : sql`status = case when attempts > 0 then 'failed' else 'waiting' end, owner = null`;
      await this.#change(store, keys, owner, change);
    }
  }

  async handled(store: StoreKey, keys: readonly string[], owner: string, now: number): Promise<void> {
    await this.#change(store, keys, owner, handledAt(now));
  }

  async failed(
    store: StoreKey,
    key: string,
    { owner, now, dueAt, error, isDead }: Parameters<InboxTables['failed']>[2],
  ): Promise<boolean> {
    const change = sql`status = ${isDead ? 'dead' : 'failed'}, failed_at = ${at(now)}, due_at = ${at(dueAt)}, error = ${error}, owner = null`;
    return (await this.#query(changeOf(this.#tables, store, [key], owner, change), store)).length > 0;
  }

  async deadLetterInterrupted(
    store: StoreKey,
    { owner, maxAttempts, now }: Parameters<InboxTables['deadLetterInterrupted']>[1],
  ): Promise<readonly ClaimedEvent[]> {
    const rows = await this.#query(
      sql`update ${this.#tables.inbox}
set status = 'dead', failed_at = ${at(now)}, error = 'ProcessEnded', owner = null
where hub = ${store.hub} and store_id = ${store.storeId} and handled_at is null and status = 'running' and owner <> ${owner} and counted = 1
  and attempts >= ${maxAttempts}
returning event_key, event, attempts, counted`,
      store,
    );
    return rows.map(claimedOf);
  }

  async retryNow(store: StoreKey, orderIds?: readonly string[]): Promise<void> {
    if (orderIds?.length === 0) return;
    const ofOrders = orderIds
      ? sql`and order_id in (${list(orderIds.map((orderId) => sql`${toStoredText(orderId)}`))})`
      : raw('');
    await this.#query(
      sql`update ${this.#tables.inbox} set due_at = ${at(0)}
where hub = ${store.hub} and store_id = ${store.storeId} and handled_at is null and status = 'failed' ${ofOrders}
returning id`,
      store,
      'retry',
    );
  }

  commit<Result>(store: StoreKey, request: CommitRequest, run: (tx: Tx, outbox: Outbox) => Result) {
    return commit(this.#tables, this.#database, this.clock, store, request, run);
  }

  async claimCommands(
    store: StoreKey,
    request: Parameters<InboxTables['claimCommands']>[1],
  ): Promise<readonly ClaimedCommand[]> {
    const rows = await this.#query(claimCommands(this.#tables, store, request), store);
    return rows
      .toSorted((a, b) => Number(a.id) - Number(b.id))
      .map((row) => ({
        id: String(row.id),
        orderId: fromStoredText(String(row.order_id)),
        command: fromStoredText(String(row.command)),
        body: typeof row.body === 'string' ? row.body : undefined,
        attempts: Number(row.attempts),
        isUnknown: row.outcome === 'unknown',
        unproven: Number(row.unproven),
      }));
  }

  async eventTypesAfter({ hub, storeId }: StoreKey, { id, orderId, command }: ClaimedCommand) {
    const { inbox, outbox } = this.#tables;
    const rows = sql`hub = ${hub} and store_id = ${storeId} and ${ofOrder(orderId)}`;
    const found = await this.#query(sql`select event_type from ${inbox} where ${rows}
  and received_at > (select created_at from ${outbox} where id = ${Number(id)})
union all select null from ${outbox} where ${rows} and command = ${toStoredText(command)} and id < ${Number(id)}
  and not (status = 'refused' and outcome is null and attempts = 1)`);
    const isRepeated = found.some(({ event_type }) => event_type === null);
    return isRepeated ? undefined : found.map(({ event_type }) => fromStoredText(String(event_type)));
  }

  async answered(
    store: StoreKey,
    id: string,
    owner: string,
    { status, isUnknown, unproven, dueAt, error }: CommandChange,
    now: number,
  ): Promise<void> {
    const isOver = status === 'sent' || status === 'refused';
    await this.#query(
      sql`update ${this.#tables.outbox}
set status = ${status}, outcome = ${isUnknown ? 'unknown' : null}, unproven = ${unproven}, due_at = ${at(dueAt)},
  tried_at = ${at(now)}, error = coalesce(${error ?? null}, error), answered_at = ${isOver ? at(now) : null}, owner = null
where id = ${Number(id)} and status = 'sending' and owner = ${owner}
returning id`,
      store,
    );
  }

  /** Changes events that the owner has claimed. What another process has claimed since stays as it is. */
  async #change(store: StoreKey, keys: readonly string[], owner: string, change: Fragment): Promise<void> {
    if (keys.length > 0) await this.#query(changeOf(this.#tables, store, keys, owner, change), store);
  }

  /** @param kind - new events and pushes do not wait for a statement that waits for the lock of an old event. */
  #query(statement: Fragment, store?: StoreKey, kind = 'change'): Promise<readonly Row[]> {
    const key = store && `${kind} ${store.hub} ${store.storeId}`;
    return runAlone(this.#database, this.clock ?? systemClock, statement, this.#late, key);
  }
}

const claimedOf = (row: Row): ClaimedEvent => ({
  key: String(row.event_key),
  event: String(row.event),
  attempts: Number(row.attempts),
  isCounted: Number(row.counted) === 1,
});
