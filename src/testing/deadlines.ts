import type { HubState } from './hub-state.js';
import type { MockStore } from './mock-store.js';

/**
 * Applies the host's time limits: forgets old events, and cancels orders that were not confirmed in time. It is called
 * before each look at the state, and when a pushed order is due.
 */
export function applyDeadlines(store: MockStore, state: HubState): void {
  state.replay?.advance();
  const { clock, profile } = state.options;
  const { confirmWithinMs, eventLifetimeMs } = profile;
  const now = clock.monotonic();
  if (eventLifetimeMs !== undefined) store.expire(now - eventLifetimeMs);
  // In a replay, the cancellations of the real hub are in the recording.
  if (confirmWithinMs === undefined || state.replay) return;
  for (const { rule, orderId, since, askedAt } of store.unanswered.open()) {
    if (rule !== 'unanswered-order' || now - since < confirmWithinMs) continue;
    state.emitTo(store, 'CANCELLED', {
      orderId,
      createdAt: new Date(askedAt + confirmWithinMs).toISOString(),
    });
  }
}
