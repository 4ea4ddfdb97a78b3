/** One of several processes that share the stores of a fleet. It writes what it does to its own journal. */
import { appendFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { HubFleet } from 'opendelivery-client';
import { fleetWorker } from 'opendelivery-client/bullmq';
import { redisState } from 'opendelivery-client/redis';
import { storesOf } from './stores.js';

export interface MemberOrders {
  readonly socketPath: string;
  readonly baseUrl: string;
  readonly journal: string;
  readonly stores: number;
  readonly shards: number;
  readonly lockMs: number;
  /** A listener runs up to this long, in ms. */
  readonly runMs: number;
}

const orders = JSON.parse(process.argv[2] ?? '') as MemberOrders;

/** Writes a line with the time of the machine's monotonic clock, which all processes share. */
function record(what: string, ...words: readonly (string | number)[]): void {
  appendFileSync(orders.journal, `${[what, process.hrtime.bigint(), ...words].join(' ')}\n`);
}

const redis = new Redis(orders.socketPath);
redis.on('error', () => {});
const fleet = new HubFleet({
  baseUrl: orders.baseUrl,
  stores: storesOf(orders.stores),
  state: redisState(redis),
  logger: false,
  // Identifies the process in the hub's journal.
  appInfo: { name: 'process', version: String(process.pid) },
});
fleet.on('event', async ({ eventId }, { fence }) => {
  record('begin', eventId, fence);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * orders.runMs));
  record('end', eventId, fence);
});
fleet.on('error', (error) => record('error', JSON.stringify(`${error.name}: ${error.message}`)));

// What the hub cannot see: when a process begins to poll a shard.
const startShards = fleet.startShards.bind(fleet);
fleet.startShards = (shards) => {
  const polling = startShards(shards);
  return {
    ...polling,
    assign(shard, mayPoll, polledUntil) {
      record('assign', shard);
      polling.assign(shard, mayPoll, polledUntil);
    },
  };
};

const { shards, lockMs } = orders;
const worker = fleetWorker({ fleet, connection: redis, shards, lockMs });
const timer = setInterval(() => record('health', JSON.stringify(worker.health())), 500);

process.on('message', (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
});
process.once('SIGTERM', async () => {
  clearInterval(timer);
  await worker.close();
  redis.disconnect();
  process.disconnect();
});
console.log('ready');
