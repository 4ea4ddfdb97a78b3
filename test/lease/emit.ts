import type { Clock } from 'opendelivery-client';
import type { MockHub } from 'opendelivery-client/testing';

const EVERY_MS = 15_000;

/** The events of an order after CREATED, one every fifteen seconds. */
const STEPS = ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'] as const;

/** Creates orders and emits their events until the signal aborts; then it emits the events that are left. */
export async function emitOrders(mock: MockHub, clock: Clock, signal: AbortSignal): Promise<void> {
  const open: { orderId: string; step: number }[] = [];
  const emitNext = () => {
    for (const order of open) {
      const eventType = STEPS[order.step];
      if (eventType) mock.emit(eventType, { orderId: order.orderId });
      order.step += 1;
    }
    while (open[0] && open[0].step >= STEPS.length) open.shift();
  };
  while (!signal.aborted) {
    emitNext();
    open.push({ orderId: mock.createOrder().orderId, step: 0 });
    await clock.sleep(EVERY_MS, signal).catch(() => {});
  }
  while (open.length > 0) emitNext();
}
