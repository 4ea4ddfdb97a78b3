import type { OrderRow } from '../wire-order.js';
import { command } from './commands.js';
import { t } from './texts.js';

/** What usually follows, by the type of the order. */
const AFTER: Readonly<Record<string, string>> = {
  CREATED: 'CONFIRMED',
  CONFIRMED: 'PREPARING',
  PREPARING: 'READY_FOR_PICKUP',
  DISPATCHED: 'DELIVERED',
  PICKED_UP: 'CONCLUDED',
  DELIVERED: 'CONCLUDED',
};

const AFTER_READY: Readonly<Record<string, string>> = { TAKEOUT: 'PICKED_UP', INDOOR: 'DELIVERED' };

/** The stage that usually comes next; undefined if the order is finished. */
export function nextStage({ stage, type }: OrderRow): string | undefined {
  return stage === 'READY_FOR_PICKUP' ? (AFTER_READY[type] ?? 'DISPATCHED') : AFTER[stage];
}

/** Emits an event for an order. */
export function emit(
  { clientId, orderId }: { readonly clientId: string; readonly orderId: string },
  eventType: string,
  metadata?: object,
): Promise<boolean> {
  const body = { eventType, clientId, orderId, ...(metadata && { metadata }) };
  return command('POST', 'events', body, t().orders.sent(eventType));
}
