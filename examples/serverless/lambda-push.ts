import { Redis } from 'ioredis';
import { HubClient } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { saveOrder } from './orders.js'; // your database

/** The event of a function URL, and of API Gateway's HTTP API (payload format 2.0). */
interface HttpEvent {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly http: { readonly method: string } };
}

/** With the bytes that were signed: `body` is a string, or base64 of the bytes. */
function requestOf({
  rawPath,
  headers,
  body,
  isBase64Encoded,
  requestContext: { http },
}: HttpEvent): Request {
  return new Request(`https://lambda.example${rawPath}`, {
    method: http.method,
    headers,
    ...(body !== undefined && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
  });
}

/** The hub calls it for each event. */
export async function handler(event: HttpEvent) {
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
  try {
    await using hub = HubClient.fromEnv({ state: redisState(redis) });
    const poller = hub.poller();
    poller.on('CREATED', async ({ orderId }) => {
      const { order } = await hub.orders.get(orderId);
      await saveOrder(order); // may run twice for one event: save by key
      if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(orderId);
    });
    const response = await poller.receive(requestOf(event));
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    };
  } finally {
    redis.disconnect();
  }
}
