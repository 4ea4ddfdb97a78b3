import { isFinalStage } from '../../schemas/event-types.js';
import type { HubState } from '../hub-state.js';
import type { HubEvent, MockOrder, MockStore } from '../mock-store.js';
import type { View } from './changes.js';
import { highestRanked, storesOf, type ViewQuery } from './query.js';
import type { OrderRow } from './wire-order.js';

/** Finished orders, as a share of the open ones that are shown at most. */
const FINISHED = 0.2;

/** Open orders, those that wait for an answer first in their number, and those that were finished last. */
export function ordersView(state: HubState, query: ViewQuery): View {
  const open: Found[] = [];
  const finished: Found[] = [];
  const counts: Record<string, number> = {};
  const finishedLimit = Math.ceil(query.limit * FINISHED);
  let total = 0;
  for (const store of storesOf(state, query)) {
    let position = 0;
    for (const [orderId, order] of store.orders) {
      position += 1;
      const { stage } = order.state;
      counts[stage] = (counts[stage] ?? 0) + 1;
      const rank = (Date.parse(String(order.document.createdAt)) || 0) + position / 1000;
      if (!isFinalStage(stage)) open.push({ store, orderId, order, rank });
    }
    total += position;
    finished.push(...finishedLast(store, finishedLimit));
  }
  const shown = [...highestRanked(open, query.limit), ...highestRanked(finished, finishedLimit)];
  const rows = shown.map(rowOf);
  return { rows, about: { total, counts, basePath: state.options.basePath } };
}

/** The finished orders whose events came last. */
function finishedLast(store: MockStore, limit: number): Found[] {
  const found = new Map<string, Found>();
  for (let index = store.emitted.length - 1; index >= 0 && found.size < limit; index -= 1) {
    const { orderId, createdAt } = store.emitted[index] as HubEvent;
    const order = found.has(orderId) ? undefined : store.orders.get(orderId);
    if (!order || !isFinalStage(order.state.stage)) continue;
    found.set(orderId, { store, orderId, order, rank: (Date.parse(createdAt) || 0) + index / 1000 });
  }
  return [...found.values()];
}

interface Found {
  readonly store: MockStore;
  readonly orderId: string;
  readonly order: MockOrder;
  readonly rank: number;
}

export function rowOf({ store, orderId, order: { document, state }, rank }: Found): OrderRow {
  const { clientId } = store.credentials;
  const amount = inside(document.total, 'orderAmount');
  const value = inside(amount, 'value');
  // The store must answer that of the hub.
  const cancellationBy = (['platform', 'merchant'] as const).find((side) => state.cancellationBy.has(side));
  return {
    key: `${clientId}/${orderId}`,
    rank,
    clientId,
    orderId,
    displayId: text(document.displayId, 40),
    type: text(document.type, 20),
    timing: text(document.orderTiming, 20),
    customer: text(inside(document.customer, 'name'), 60),
    total: typeof value === 'number' ? value : undefined,
    currency: text(inside(amount, 'currency'), 3) || 'BRL',
    stage: state.stage,
    cancellationBy,
    waitingSince: store.unanswered.since(orderId),
    command: store.commands.get(orderId),
  };
}

const inside = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** What is cut ends with an ellipsis. */
export function text(value: unknown, length: number): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const whole = String(value);
  return whole.length > length ? `${whole.slice(0, length - 1)}…` : whole;
}
