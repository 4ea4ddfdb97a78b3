import { Redis } from 'ioredis';
import { HubClient } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { saveOrder } from './orders.js'; // your database

interface Env {
  readonly HUB_BASE_URL: string;
  readonly HUB_CLIENT_ID: string;
  readonly HUB_CLIENT_SECRET: string;
  readonly REDIS_URL: string;
}

export default {
  /** A cron trigger calls it once a minute. */
  async scheduled(_controller: unknown, env: Env): Promise<void> {
    // Both are created for each call: a Worker cannot use a connection of an earlier one.
    const redis = new Redis(env.REDIS_URL);
    try {
      await using hub = new HubClient({
        baseUrl: env.HUB_BASE_URL,
        clientId: env.HUB_CLIENT_ID,
        clientSecret: env.HUB_CLIENT_SECRET,
        state: redisState(redis),
      });
      const poller = hub.poller();
      poller.on('CREATED', async (event) => {
        const { order } = await hub.orders.get(event.orderId);
        await saveOrder(order); // may run twice for one event: save by key
        if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(event.orderId);
      });
      const { failures } = await poller.runOnce();
      for (const { eventId, error } of failures ?? []) console.error(eventId, error);
    } finally {
      redis.disconnect();
    }
  },
};
