import { toStoredText } from '../../state/stored-text.js';
import type { ClaimRequest, StoreKey } from '../tables.js';
import { durably } from './database.js';
import type { Tables } from './schema.js';
import { at, type Fragment, list, raw, sql } from './statement.js';

const OPEN = raw("('waiting', 'running', 'failed')");

/**
 * Whether an event may run. Only a retry waits, and not if it was set in what is now the future: then the clock was set
 * back, or the clock of another process is ahead.
 */
export const isEventDue = (now: number): Fragment =>
  sql`(status <> 'failed' or due_at <= ${at(now)} or coalesce(failed_at, received_at) > ${at(now)})`;

/** Whether a command may be sent; the same. */
export const isCommandDue = (now: number): Fragment =>
  sql`(status <> 'waiting' or due_at <= ${at(now)} or coalesce(tried_at, created_at) > ${at(now)})`;

function notIn(column: 'order_id' | 'event_key', values: readonly string[]): Fragment {
  if (values.length === 0) return raw('');
  return sql`and ${raw(column)} not in (${list(values.map((value) => sql`${toStoredText(value)}`))})`;
}

/** Claims events that are due. What another process claims at the same moment has its condition in the outer `where`. */
export function claimEvents(
  { inbox }: Tables,
  { hub, storeId }: StoreKey,
  { owner, now, held, isOrdered, countBelow, limit }: ClaimRequest,
): Fragment {
  const ownRows = sql`hub = ${hub} and store_id = ${storeId} and handled_at is null`;
  // An event of the order failed and waits: the others wait with it, except what `redrive` has changed.
  const notBlocked = isOrdered
    ? sql`and ((status = 'waiting' and failed_at is not null)
      or order_id not in (select order_id from ${inbox} where ${ownRows} and not ${isEventDue(now)}))`
    : raw('');
  return sql`update ${inbox} set status = 'running', owner = ${owner},
  started_at = ${at(now)}, attempts = attempts + case when attempts < ${countBelow} then 1 else 0 end,
  counted = case when attempts < ${countBelow} then 1 else 0 end
where status in ${OPEN} and id in (
  select id from ${inbox}
  where ${ownRows} and status in ${OPEN} and ${isEventDue(now)}
    ${notIn(isOrdered ? 'order_id' : 'event_key', held)} ${notBlocked}
  order by id limit ${limit})
returning id, event_key, event, attempts, counted`;
}

/**
 * Claims commands that are due, the first one of each order. One that another owner was sending may have been carried
 * out: so that it is being sent is on the disk before. One that this owner has claimed and does not hold was not sent:
 * the answer to that claim was lost.
 */
export function claimCommands(
  { outbox, dialect }: Tables,
  { hub, storeId }: StoreKey,
  { owner, now, held, limit }: Pick<ClaimRequest, 'owner' | 'now' | 'held' | 'limit'>,
): Fragment {
  const ownRows = sql`hub = ${hub} and store_id = ${storeId} and answered_at is null`;
  return sql`update ${outbox} set status = 'sending', owner = ${owner},
  attempts = attempts + 1, outcome = case when status = 'sending' and owner <> ${owner} then 'unknown' else outcome end
where answered_at is null and id in (
  select id from ${outbox}
  where ${ownRows} and ${isCommandDue(now)} ${notIn('order_id', held)}
    and id in (select min(id) from ${outbox} where ${ownRows} group by order_id)
  order by id limit ${limit})
returning id, order_id, command, body, attempts, outcome, unproven${durably(dialect)}`;
}

/** Changes events that this owner has claimed. What another process has claimed since stays as it is. */
export function changeOf(
  { inbox }: Tables,
  { hub, storeId }: StoreKey,
  keys: readonly string[],
  owner: string,
  change: Fragment,
): Fragment {
  return sql`update ${inbox} set ${change}
where hub = ${hub} and store_id = ${storeId} and event_key in (${list(keys)}) and status = 'running' and owner = ${owner}
returning id`;
}

/** Rows that `prune` removes with one statement: a pool may have a `statement_timeout`, and rows take memory. */
export const PRUNED_AT_ONCE = 5000;

export const pruneOf = (table: Fragment, isOver: Fragment): Fragment =>
  sql`delete from ${table} where id in (select id from ${table} where ${isOver} order by id limit ${PRUNED_AT_ONCE}) returning id`;

/** The change of an event that is handled. */
export const handledAt = (now: number): Fragment => sql`status = 'handled', handled_at = ${at(now)}`;
