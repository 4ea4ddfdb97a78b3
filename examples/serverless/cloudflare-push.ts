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
  /** The hub calls it for each event. */
  async fetch(request: Request, env: Env): Promise<Response> {
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
      poller.on('CREATED', async ({ orderId }) => {
        const { order } = await hub.orders.get(orderId);
        await saveOrder(order); // may run twice for one event: save by key
        if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(orderId);
      });
      return await poller.receive(request);
    } finally {
      redis.disconnect();
    }
  },
};
