import type { Clock } from '../clock.js';
import type { MockHub } from './create-mock-hub.js';

const MINUTE_MS = 60_000;

/**
 * Plays a restaurant's evening of 100 minutes at a mock hub: a slow start, a
 * 429, forty orders at once, a menu that sells out, a cancellation, the end.
 *
 * @param clock - the mock hub's; `scaledClock(60)` makes the evening 100 seconds.
 * @param signal - ends it early.
 * @returns when the evening is over; rejects with the signal's reason.
 */
export async function playEvening(mock: MockHub, clock: Clock, signal?: AbortSignal): Promise<void> {
  const startedAt = clock.monotonic();
  const at = (minute: number) =>
    clock.sleep(Math.max(0, startedAt + minute * MINUTE_MS - clock.monotonic()), signal);
  const orders: string[] = [];
  const order = () => void orders.push(mock.createOrder().orderId);
  const move = (eventType: string, count: number) => {
    for (const orderId of orders.slice(0, count)) mock.emit(eventType, { orderId });
  };

  for (const minute of [1, 2, 4]) {
    await at(minute);
    order();
  }
  await at(12);
  mock.faults.next('polling', { type: 'status', status: 429, headers: { 'retry-after': '75' } });
  await at(20);
  for (let count = 0; count < 40; count += 1) order(); // the football match is over
  await at(30);
  mock.publishMerchant((merchant) => {
    for (const offer of (merchant.itemOffers ?? []) as { status: string }[]) offer.status = 'UNAVAILABLE';
  });
  await at(40);
  move('READY_FOR_PICKUP', 43);
  await at(50);
  move('DISPATCHED', 42);
  const late = orders[42] as string;
  mock.emit('ORDER_CANCELLATION_REQUEST', { orderId: late });
  mock.emit('CANCELLED', { orderId: late });
  await at(60);
  for (let count = 0; count < 5; count += 1) order();
  await at(100);
  move('CONCLUDED', 42);
}
