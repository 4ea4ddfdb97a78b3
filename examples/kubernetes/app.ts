/**
 * One pod of a fleet. With SHARDS it belongs to a StatefulSet, and polls the part of the stores that the number of the
 * pod names; without it, to a Deployment, whose pods share the stores with BullMQ.
 *
 * STORES_FILE is JSON: `[{ "storeId", "clientId", "clientSecret" }]`.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { closeOnSignal, HubFleet, livenessHandler, readinessHandler } from 'opendelivery-client';
import { fleetWorker } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';

const { HUB_BASE_URL = '', HOSTNAME, PORT = '8080', REDIS_URL = '', SHARDS, STORES_FILE = '' } = process.env;

const redis = new Redis(REDIS_URL);
redis.on('error', ({ message }) => console.error(message));

const fleet = new HubFleet({
  baseUrl: HUB_BASE_URL,
  state: redisState(redis),
  // Read again every minute: Kubernetes writes a changed Secret into the file.
  stores: () => {
    try {
      return JSON.parse(readFileSync(STORES_FILE, 'utf8'));
    } catch {
      throw new Error(`${STORES_FILE} is not JSON`); // the error of JSON.parse would quote the secrets in it
    }
  },
  ...(SHARDS && { shard: { index: Number(HOSTNAME?.split('-').at(-1)), of: Number(SHARDS) } }),
});
fleet.on('CREATED', async ({ orderId }, { hub, storeId }) => {
  const { order } = await hub.orders.get(orderId);
  console.log(`${storeId}: order ${order.displayId}`); // In your application: save it by its id.
});
fleet.on('error', (error, { storeId }) => console.error(storeId ?? 'fleet', error.message));

const running = SHARDS ? fleet : fleetWorker({ fleet, connection: redis });

const live = livenessHandler(running);
const ready = readinessHandler(running);
const server = createServer((request, response) =>
  request.url === '/livez' ? live(request, response) : ready(request, response),
).listen(Number(PORT));

// The probes are answered until the listeners have ended. The grace period of the pod is longer than this time.
closeOnSignal(running, server, { close: () => redis.disconnect() }, { timeoutMs: 75_000 });
if (SHARDS) await fleet.start();
