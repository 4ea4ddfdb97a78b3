/** One of the processes that share the stores. */
import { Redis } from 'ioredis';
import { closeOnSignal, HubFleet } from 'opendelivery-client';
import { fleetWorker } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import { HUB_URL, REDIS_URL, stores } from './stores.js';

const redis = new Redis(REDIS_URL);
// Otherwise ioredis prints each try to connect; the fleet and the worker report it too.
redis.on('error', () => {});
const fleet = new HubFleet({ baseUrl: HUB_URL, stores, state: redisState(redis) });
let orders = 0;
fleet.on('CREATED', () => {
  orders += 1; // In an application: save the order.
});
let printed = '';
fleet.on('error', ({ message }) => {
  // While Redis is away, every store has the same one.
  if (message !== printed) console.error(message);
  printed = message;
});

// A short lock for a short demonstration; the default is 30 seconds.
const worker = fleetWorker({ fleet, connection: redis, shards: 64, lockMs: 10_000 });

const timer = setInterval(() => process.send?.({ ...worker.health(), orders }), 1000);
const rest = {
  close: () => {
    clearInterval(timer);
    redis.disconnect();
    if (process.connected) process.disconnect?.();
  },
};
closeOnSignal(worker, rest);
