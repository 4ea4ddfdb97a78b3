import type { Store } from './store.js';

/** An order whose events are handled, or still run after their time limit, and who waits for the end of that. */
export interface BusyOrder {
  count: number;
  readonly waiting: (() => void)[];
}

/** Nobody else handles events of the order until `freeOrder`. @returns false if it is taken, and not `isShared`. */
export function takeOrder(store: Store, orderId: string, isShared = false): boolean {
  const busy = store.orders?.get(orderId);
  if (busy && !isShared) return false;
  store.orders ??= new Map();
  if (busy) busy.count += 1;
  else store.orders.set(orderId, { count: 1, waiting: [] });
  return true;
}

export function freeOrder(store: Store, orderId: string): void {
  const busy = store.orders?.get(orderId);
  if (!busy) return;
  busy.count -= 1;
  if (busy.count > 0) return;
  store.orders?.delete(orderId);
  for (const resolve of busy.waiting) resolve();
}

/** Resolves when nobody handles events of the order, or a run of it is left behind; undefined: nobody does. */
export function whenOrderIsFree(store: Store, orderId: string): Promise<void> | undefined {
  const busy = store.orders?.get(orderId);
  return busy && new Promise((resolve) => busy.waiting.push(resolve));
}

/** Nobody waits any longer for the order: a run that is left behind may never end. */
export function wakeWaiting(store: Store, orderId: string): void {
  for (const resolve of store.orders?.get(orderId)?.waiting.splice(0) ?? []) resolve();
}

/** Whether a run of the order was left behind and has not settled. */
export function isLeftBehind({ runs }: Store, orderId: string): boolean {
  for (const { isLate, open } of runs ?? []) if (isLate && open.event.orderId === orderId) return true;
  return false;
}
