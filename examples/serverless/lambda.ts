import { Redis } from 'ioredis';
import { HubClient } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { saveOrder } from './orders.js'; // your database

/** EventBridge Scheduler calls it once a minute. */
export async function handler(_event: unknown, context: { getRemainingTimeInMillis(): number }) {
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  try {
    await using hub = HubClient.fromEnv({ state: redisState(redis) });
    const poller = hub.poller({ listenerTimeoutMs: 8_000 });
    poller.on('CREATED', async (event) => {
      const { order } = await hub.orders.get(event.orderId);
      await saveOrder(order); // may run twice for one event: save by key
      if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(event.orderId);
    });
    // What is not begun in time stays at the hub, for the next call; what is, has `listenerTimeoutMs`.
    const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - 12_000);
    const { skipped, handled, failures } = await poller.runOnce({ signal });
    for (const { eventId, error } of failures ?? []) console.error(eventId, error);
    return { skipped, handled };
  } finally {
    redis.disconnect();
  }
}
