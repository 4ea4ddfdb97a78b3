import { toStoredText } from '../../state/stored-text.js';
import type { ClaimRequest, StoreKey } from '../tables.js';
import { orderPrefix, type Tables } from './schema.js';
import { at, type Fragment, list, raw, sql } from './statement.js';

const OPEN = raw("('waiting', 'running', 'failed')");

const MAX_INTEGER = 2_147_483_647;

/** Claims events that are due. What another process claims at the same moment has its condition in the outer `where`. */
export function claimEvents(
  { inbox }: Tables,
  { hub, storeId }: StoreKey,
  { owner, now, heldKeys, heldOrders, isOrdered, countBelow, limit }: ClaimRequest,
): Fragment {
  const ownRows = sql`hub = ${hub} and store_id = ${storeId}`;
  // Another event of the order failed and waits: the later ones wait with it.
  const blocking = sql`select 1 from ${inbox} as other
  where other.hub = ${hub} and other.store_id = ${storeId} and other.status = 'failed' and other.due_at > ${at(now)}
    and ${orderPrefix(raw('other.order_id'))} = ${orderPrefix(raw('each.order_id'))}
    and other.order_id = each.order_id`;
  const held = isOrdered
    ? heldOrders.map((orderId) => sql`${toStoredText(orderId)}`)
    : heldKeys.map((key) => sql`${key}`);
  const notHeld =
    held.length === 0
      ? raw('')
      : sql`and ${raw(isOrdered ? 'order_id' : 'event_key')} not in (${list(held)})`;
  const below = Math.min(countBelow, MAX_INTEGER);
  return sql`update ${inbox} set status = 'running', owner = ${owner},
  started_at = ${at(now)}, attempts = attempts + case when attempts < ${below} then 1 else 0 end,
  counted = case when attempts < ${below} then 1 else 0 end
where status in ${OPEN} and id in (
  select id from ${inbox} as each
  where ${ownRows} and status in ${OPEN} and (status = 'running' or due_at <= ${at(now)})
    ${notHeld} ${isOrdered ? sql`and not exists (${blocking})` : raw('')}
  order by id limit ${limit})
returning id, event_key, event, attempts, counted, received_at`;
}

/** Claims commands that are due, the first one of each order. One that was being sent may have been carried out. */
export function claimCommands(
  { outbox }: Tables,
  { hub, storeId }: StoreKey,
  { owner, now, heldOrders, limit }: Pick<ClaimRequest, 'owner' | 'now' | 'heldOrders' | 'limit'>,
): Fragment {
  const notHeld =
    heldOrders.length === 0
      ? raw('')
      : sql`and order_id not in (${list(heldOrders.map((orderId) => sql`${toStoredText(orderId)}`))})`;
  return sql`update ${outbox} set status = 'sending', owner = ${owner},
  attempts = attempts + 1, outcome = case when status = 'sending' then 'unknown' else outcome end
where status in ('waiting', 'sending') and id in (
  select id from ${outbox} as each
  where hub = ${hub} and store_id = ${storeId} and status in ('waiting', 'sending') and due_at <= ${at(now)} ${notHeld}
    and not exists (
      select 1 from ${outbox} as earlier
      where earlier.hub = ${hub} and earlier.store_id = ${storeId} and earlier.status in ('waiting', 'sending')
        and earlier.order_id = each.order_id and earlier.id < each.id)
  order by id limit ${limit})
returning id, order_id, command, body, attempts, outcome, unproven`;
}
