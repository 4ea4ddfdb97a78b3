import type { HubState } from './hub-state.js';
import type { MockStore } from './mock-store.js';

/**
 * Does what the host has done since the last request of the store: it has forgotten old events, and cancelled orders
 * that were not confirmed in time. No timer runs.
 */
export function applyDeadlines(store: MockStore, state: HubState): void {
  const { clock, profile } = state.options;
  const { confirmWithinMs, eventLifetimeMs } = profile;
  const now = clock.monotonic();
  if (eventLifetimeMs !== undefined) store.expire(now - eventLifetimeMs);
  if (confirmWithinMs === undefined) return;
  for (const { rule, orderId, since } of store.unanswered.open()) {
    if (rule !== 'unanswered-order' || now - since < confirmWithinMs) continue;
    state.emitTo(store, 'CANCELLED', { orderId });
  }
}
