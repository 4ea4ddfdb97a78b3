import { Redis } from 'ioredis';
import { systemClock } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { startRedis } from '../state/redis/start.js';

export interface RedisCost {
  /** CPU time of Redis for the two commands of a poll without events, in ms. */
  readonly redisMsPerPoll: number;
  /** CPU time of the process for them, in ms. */
  readonly clientMsPerPoll: number;
  /** Memory of Redis for a store: token, quota and lease, in bytes. */
  readonly bytesPerStore: number;
  /** Memory of Redis for a handled event that is remembered, in bytes. */
  readonly bytesPerEvent: number;
}

const LEASE = { holder: '00000000-0000-4000-8000-000000000000', leaseMs: 45_000 };
const TOKEN = JSON.stringify({ value: 'x'.repeat(600), obtainedAt: Date.now(), lifetimeMs: 604_800_000 });

/** Measures what the state of a fleet costs a real Redis, on this machine. */
export async function redisCost(stores = 2000, eventsPerStore = 300): Promise<RedisCost> {
  const server = await startRedis();
  const redis = new Redis(server.socketPath);
  try {
    const state = redisState(redis);
    const info = async (section: string, name: string) =>
      Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(await redis.info(section))?.[1]);
    const cpu = async () => (await info('cpu', 'used_cpu_user')) + (await info('cpu', 'used_cpu_sys'));
    const scopes = Array.from({ length: stores }, (_, index) => index.toString(16).padStart(32, '0'));
    const inBatches = async (work: (scope: string) => Promise<unknown>) => {
      for (let from = 0; from < stores; from += 64) {
        await Promise.all(scopes.slice(from, from + 64).map(work));
      }
    };
    const poll = async (scope: string) => {
      const key = `quota:${scope}:polling`;
      const slot = await state.reserve(key, { limit: 2, holdMs: 95_000, lease: LEASE }, systemClock);
      if (slot.granted) await state.settle(key, { id: slot.id, freeInMs: 60_000 }, systemClock);
    };
    const before = await info('memory', 'used_memory');
    await inBatches(async (scope) => state.set(`token:${scope}`, TOKEN, { forMs: 604_800_000 }, systemClock));
    await inBatches(poll);
    const redisBefore = await cpu();
    const clientBefore = process.cpuUsage();
    await inBatches(poll);
    const { user, system } = process.cpuUsage(clientBefore);
    const redisMs = ((await cpu()) - redisBefore) * 1000;
    const withStores = await info('memory', 'used_memory');
    await inBatches(async (scope) => {
      // As long as a UUID with the hash of the event's content.
      const ids = Array.from({ length: eventsPerStore }, (_, at) => `${scope}${at}`.padEnd(57, '#'));
      await state.mark(`events:${scope}`, ids, { handled: true, forMs: 86_400_000 }, systemClock);
    });
    const withEvents = await info('memory', 'used_memory');
    return {
      redisMsPerPoll: redisMs / stores,
      clientMsPerPoll: (user + system) / 1000 / stores,
      bytesPerStore: (withStores - before) / stores,
      bytesPerEvent: (withEvents - withStores) / stores / eventsPerStore,
    };
  } finally {
    redis.disconnect();
    await server.close();
  }
}
