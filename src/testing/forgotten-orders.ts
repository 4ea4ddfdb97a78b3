import { isFinalStage } from '../schemas/event-types.js';
import type { MockStore } from './mock-store.js';

/** Orders of all stores that the hub keeps at most, unless more of them have pending events. */
export const MAX_ORDERS = 10_000;
/** So many are forgotten at a time, because finding them looks at all. */
const SHARE = 1000;

/**
 * Bounds the memory of a hub that runs for weeks. Finished orders are forgotten first, then those whose events were
 * all acknowledged, each time the oldest, with their events. An order with a pending event is never forgotten.
 */
export class ForgottenOrders {
  /** Orders that were forgotten. */
  count = 0;
  #created = 0;

  clear(): void {
    this.count = 0;
    this.#created = 0;
  }

  /** An order is about to be created. */
  makeRoom(stores: readonly MockStore[]): void {
    this.#created += 1;
    // After a search, no other one before as many orders have been created as it makes room for.
    if (this.#created <= MAX_ORDERS) return;
    this.#created -= SHARE;
    const candidates = stores.flatMap((store) => {
      const pending = new Set([...store.pending.values()].map(({ orderId }) => orderId));
      return [...store.orders]
        .filter(([orderId]) => !pending.has(orderId))
        .map(([orderId, { number, state }]) => ({
          store,
          orderId,
          number,
          isOpen: !isFinalStage(state.stage),
        }));
    });
    candidates.sort((one, other) => Number(one.isOpen) - Number(other.isOpen) || one.number - other.number);
    const excess = stores.reduce((sum, { orders }) => sum + orders.size, 0) - (MAX_ORDERS - SHARE);
    const forgotten = new Map<MockStore, Set<string>>();
    for (const { store, orderId } of candidates.slice(0, Math.max(0, excess))) {
      const ofStore = forgotten.get(store) ?? new Set();
      forgotten.set(store, ofStore.add(orderId));
      this.count += 1;
    }
    for (const [store, orderIds] of forgotten) store.forget(orderIds);
  }
}
