import type { HubState } from '../hub-state.js';
import type { HubEvent, MockStore } from '../mock-store.js';
import type { PushDelivery } from '../push.js';
import type { View } from './changes.js';
import { text } from './orders-view.js';
import { highestRanked, storesOf, type ViewQuery } from './query.js';
import type { EventRow, WirePush, WirePushing } from './wire.js';

/** Events of one millisecond are apart by the smallest fraction that is left beside an instant of today. */
const RANKS_PER_MS = 4096;

/** The latest events: when each was emitted, delivered and acknowledged. */
export function eventsView(state: HubState, query: ViewQuery): View {
  const stores = storesOf(state, query);
  const latest = stores.flatMap((store) => {
    const first = Math.max(0, store.emitted.length - query.limit);
    return store.emitted.slice(first).map((event, index) => {
      const position = store.forgotten + first + index;
      const emittedAt = Date.parse(event.createdAt);
      const rank = stores.length === 1 ? position : (emittedAt || 0) + position / RANKS_PER_MS;
      return { store, event, position, rank, emittedAt };
    });
  });
  const rows = highestRanked(latest, query.limit).map(rowOf);
  return {
    rows,
    about: {
      total: stores.reduce((sum, { emitted }) => sum + emitted.length, 0),
      pending: stores.reduce((sum, { pending }) => sum + pending.size, 0),
      pushes: pushesOf(state),
    },
  };
}

/** Of all stores, because a page can only stop all of them. */
function pushesOf({ pushers }: HubState): WirePushing[] {
  const byTarget = new Map<string, string[]>();
  for (const { clientId, target, pusher } of pushers.all) {
    if (pusher.isStopped) continue;
    const name = typeof target === 'function' ? 'mock.push(…)' : String(target);
    byTarget.set(name, [...(byTarget.get(name) ?? []), clientId]);
  }
  return [...byTarget].map(([target, stores]) => ({ target, stores }));
}

interface Found {
  readonly store: MockStore;
  readonly event: HubEvent;
  readonly position: number;
  readonly rank: number;
  readonly emittedAt: number;
}

function rowOf({ store, event, position, rank, emittedAt }: Found): EventRow {
  const { eventId, eventType, orderId } = event;
  const { clientId } = store.credentials;
  const displayId = store.orders.get(orderId)?.document.displayId;
  const push = store.pushed.get(eventId);
  return {
    key: `${clientId}/${position}`,
    rank,
    clientId,
    eventId,
    eventType: text(String(eventType), 60),
    orderId,
    emittedAt,
    isPending: store.pending.has(event),
    isRefused: store.refused.has(eventId),
    displayId: text(displayId, 40) || undefined,
    delivered: store.delivered.get(eventId),
    acknowledgedAt: store.acknowledgedAt.get(eventId),
    pushed: push && wiredPush(push),
  };
}

const wiredPush = ({ at, attempt, status }: PushDelivery): WirePush => ({ at, attempt, status });
