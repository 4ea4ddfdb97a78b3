import type { Clock } from 'opendelivery-client';
import type { MockHub } from 'opendelivery-client/testing';

const EVERY_MS = 15_000;

/** What happens to an order after CREATED, one step every fifteen seconds. */
const LIFE = ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'] as const;

/** Orders come, and go on, until the signal aborts; each one's life is completed then. */
export async function emitOrders(mock: MockHub, clock: Clock, signal: AbortSignal): Promise<void> {
  const open: { orderId: string; step: number }[] = [];
  const goOn = () => {
    for (const order of open) {
      const eventType = LIFE[order.step];
      if (eventType) mock.emit(eventType, { orderId: order.orderId });
      order.step += 1;
    }
    while (open[0] && open[0].step >= LIFE.length) open.shift();
  };
  while (!signal.aborted) {
    goOn();
    open.push({ orderId: mock.createOrder().orderId, step: 0 });
    await clock.sleep(EVERY_MS, signal).catch(() => {});
  }
  while (open.length > 0) goOn();
}
