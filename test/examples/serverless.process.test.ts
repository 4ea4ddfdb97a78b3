import { createMockHub, type MockHub } from 'opendelivery-client/testing';
import { afterEach, expect, it, vi } from 'vitest';
import worker from '../../examples/serverless/cloudflare-push.js';
import { handler } from '../../examples/serverless/lambda-push.js';
import { POST } from '../../examples/serverless/nextjs-push.js';
import { queued } from '../../examples/serverless/queue.js';
import { pushOf } from '../events/push/support.js';
import { itWithRedis } from '../state/redis/server.js';

afterEach(() => vi.unstubAllEnvs());

/** A mock hub at an address, which the environment names, and what it has pushed to the handler. */
async function servedHub(redis: string) {
  const mock = createMockHub();
  const { url, close } = await mock.listen();
  const env = {
    HUB_BASE_URL: url,
    HUB_CLIENT_ID: mock.credentials.clientId,
    HUB_CLIENT_SECRET: mock.credentials.clientSecret,
    REDIS_URL: redis,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return { mock, env, close };
}

/** Two pushes, and the first one once more: each order is confirmed once, and one token serves all. */
async function handlesPushes(mock: MockHub, answer: (request: Request) => Promise<number>) {
  const orders = [mock.createOrder(), mock.createOrder()];
  const pushes = [...orders, ...orders.slice(0, 1)];
  const statuses: number[] = [];
  for (const { event } of pushes) statuses.push(await answer(pushOf(event)));
  expect(statuses).toEqual([200, 200, 200]);
  expect(await answer(pushOf(orders[0]?.event, { secret: 'guessed' }))).toBe(403);
  const paths = mock.requests.map(({ path }) => path);
  for (const { orderId } of orders) {
    expect(paths.filter((path) => path.endsWith(`${orderId}/confirm`))).toHaveLength(1);
  }
  expect(mock.requests.filter(({ endpoint }) => endpoint === 'token')).toHaveLength(1);
  expect(mock.violations()).toEqual([]);
}

itWithRedis('examples/serverless/lambda-push.ts handles pushes without a loop', async (startRedis) => {
  const redis = await startRedis();
  const { mock, close } = await servedHub(redis.socketPath);
  let isBase64Encoded = false;
  await handlesPushes(mock, async (request) => {
    isBase64Encoded = !isBase64Encoded;
    const { statusCode, headers, body } = await handler({
      rawPath: '/newEvent',
      headers: Object.fromEntries(request.headers),
      body: Buffer.from(await request.arrayBuffer()).toString(isBase64Encoded ? 'base64' : 'utf8'),
      isBase64Encoded,
      requestContext: { http: { method: request.method } },
    });
    if (statusCode === 403)
      expect([headers['content-type'], JSON.parse(body)]).toMatchObject([/problem/, { status: 403 }]);
    return statusCode;
  });
  const get = {
    rawPath: '/',
    headers: {},
    isBase64Encoded: false,
    requestContext: { http: { method: 'GET' } },
  };
  expect(await handler(get)).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
  await close();
  await redis.close();
});

itWithRedis('examples/serverless/cloudflare-push.ts handles pushes without a loop', async (startRedis) => {
  const redis = await startRedis();
  const { mock, env, close } = await servedHub(redis.socketPath);
  await handlesPushes(mock, async (request) => (await worker.fetch(request, env)).status);
  await close();
  await redis.close();
});

it('examples/serverless/nextjs-push.ts verifies pushes and passes them on', async () => {
  const { mock, close } = await servedHub('');
  const { event } = mock.createOrder();
  const statuses = [pushOf(event), pushOf(event), pushOf(event, { secret: 'guessed' })].map(
    async (request) => (await POST(request)).status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  expect([...queued.keys()]).toEqual([event.eventId]);
  const read = pushOf(event);
  await read.json();
  const error = vi.spyOn(console, 'error').mockReturnValue();
  expect((await POST(read)).status).toBe(503);
  expect(error.mock.calls.join()).toContain('before any body parser');
  expect(mock.requests).toEqual([]);
  await close();
});
