import type { HubState } from '../hub-state.js';
import { orderOf } from '../unanswered.js';
import type { View } from './changes.js';
import type { ViewQuery } from './query.js';
import type { ViolationRow } from './wire.js';

/** The latest violations, each with the request that caused it or the order that waits. */
export function violationsView(state: HubState, { limit }: ViewQuery): View {
  const all = state.violations();
  const first = Math.max(0, all.length - limit);
  const rows = all.slice(first).map((violation, index): ViolationRow => {
    const request = state.broken.requestOf(violation);
    const entry = request === undefined ? undefined : state.journal.find(request);
    const orderId = orderOf(violation);
    return {
      ...violation,
      message: violation.message.slice(0, 1000),
      key: `${violation.rule}/${orderId ?? request}/${violation.at}/${first + index}`,
      rank: first + index,
      ...(orderId !== undefined && { orderId, clientId: storeOf(state, orderId) }),
      ...(request !== undefined && { request }),
      ...(entry && { path: entry.path.slice(0, 300), method: entry.method }),
    };
  });
  return { rows, about: { total: all.length } };
}

const storeOf = ({ stores }: HubState, orderId: string): string =>
  (stores.all.find(({ orders }) => orders.has(orderId)) ?? stores.default).credentials.clientId;
