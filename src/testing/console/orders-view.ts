import { isFinalStage } from '../../schemas/event-types.js';
import type { HubState } from '../hub-state.js';
import type { MockOrder, MockStore } from '../mock-store.js';
import type { View } from './changes.js';
import { highestRanked, storesOf, type ViewQuery } from './query.js';
import type { OrderRow } from './wire-order.js';

/** Finished orders, as a share of the open ones that are shown at most. */
const FINISHED = 0.2;

/** Open orders, those that wait for an answer first in their number, and the latest finished ones. */
export function ordersView(state: HubState, query: ViewQuery): View {
  const open: Found[] = [];
  const finished: Found[] = [];
  const counts: Record<string, number> = {};
  for (const store of storesOf(state, query)) {
    let position = 0;
    for (const [orderId, order] of store.orders) {
      position += 1;
      const { stage } = order.state;
      counts[stage] = (counts[stage] ?? 0) + 1;
      const rank = (Date.parse(String(order.document.createdAt)) || 0) + position / 1000;
      (isFinalStage(stage) ? finished : open).push({ store, orderId, order, rank });
    }
  }
  const shown = [
    ...highestRanked(open, query.limit),
    ...highestRanked(finished, Math.ceil(query.limit * FINISHED)),
  ];
  const rows = shown.map(rowOf);
  return { rows, about: { total: open.length + finished.length, counts, basePath: state.options.basePath } };
}

interface Found {
  readonly store: MockStore;
  readonly orderId: string;
  readonly order: MockOrder;
  readonly rank: number;
}

function rowOf({ store, orderId, order: { document, state }, rank }: Found): OrderRow {
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
