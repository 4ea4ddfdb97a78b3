import type { Clock } from '../time/clock.js';
import type { MockHub } from './mock-hub.js';

const MINUTE_MS = 60_000;

/**
 * Simulates a restaurant's evening of 100 minutes at a mock hub: a few orders,
 * a 429, 40 orders at once, a menu that sells out, a cancellation, and the end.
 *
 * @example
 * ```ts
 * const clock = scaledClock(60); // the evening takes 100 seconds
 * const mock = createMockHub({ clock });
 * await playEvening(mock, clock);
 * ```
 *
 * @param clock - the mock hub's clock.
 * @param signal - ends the evening early.
 * @returns resolves when the evening is over; rejects with the signal's reason.
 */
export async function playEvening(mock: MockHub, clock: Clock, signal?: AbortSignal): Promise<void> {
  const startedAt = clock.monotonic();
  const until = (minute: number) =>
    clock.sleep(Math.max(0, startedAt + minute * MINUTE_MS - clock.monotonic()), signal);
  const orderIds: string[] = [];
  const createOrders = (count: number) => {
    for (let made = 0; made < count; made += 1) orderIds.push(mock.createOrder().orderId);
  };
  const emitForFirst = (count: number, eventType: string) => {
    for (const orderId of orderIds.slice(0, count)) mock.emit(eventType, { orderId });
  };

  for (const minute of [1, 2, 4]) {
    await until(minute);
    createOrders(1);
  }
  await until(12);
  mock.faults.next('polling', { type: 'status', status: 429, headers: { 'retry-after': '75' } });
  await until(20);
  createOrders(40); // a football match has ended
  await until(30);
  mock.publishMerchant((merchant) => {
    for (const offer of (merchant.itemOffers ?? []) as { status: string }[]) offer.status = 'UNAVAILABLE';
  });
  await until(40);
  emitForFirst(43, 'READY_FOR_PICKUP');
  await until(50);
  emitForFirst(42, 'DISPATCHED');
  const orderId = orderIds[42] as string;
  mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
  mock.emit('CANCELLED', { orderId });
  await until(60);
  createOrders(5);
  await until(100);
  emitForFirst(42, 'CONCLUDED');
}
