import { Redis } from 'ioredis';
import { ConfigurationError, HubFleet } from 'opendelivery-client';
import { type FleetWorkerOptions, fleetWorker } from 'opendelivery-client/bullmq';
import { createClientPool, createCluster } from 'redis';
import { describe, expect, it } from 'vitest';
import { soon } from '../../soon.js';

const fleet = new HubFleet({ baseUrl: 'https://hub.example', stores: [] });

function messageOf(options: object): string {
  try {
    fleetWorker(options as FleetWorkerOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).message;
  }
  return 'accepted';
}

describe('the options of a worker', () => {
  it.each([
    [{ connection: {} }, 'fleet: is missing; pass a HubFleet'],
    [{ fleet: {}, connection: {} }, 'fleet: must be a HubFleet: it has no startShards()'],
    [{ fleet }, 'connection: is missing; pass a Redis client, or { host, port }'],
    [{ fleet, connection: 'redis://127.0.0.1' }, 'connection: must be a Redis client, or { host, port }'],
    [
      { fleet, connection: {}, shard: 3 },
      'shard: is not an option; the options are fleet, connection, shards, lockMs, queueName',
    ],
    [
      { fleet, connection: {}, shards: 0 },
      'shards: must be a whole number (shards) of at least 1 and at most 10000',
    ],
    [
      { fleet, connection: {}, shards: 1e9 },
      'shards: must be a whole number (shards) of at least 1 and at most 10000',
    ],
    [{ fleet, connection: () => {} }, 'connection: must be a Redis client, or { host, port }'],
    [{ fleet, connection: [] }, 'connection: must be a Redis client, or { host, port }'],
    [{ fleet, connection: {}, lockMs: 30 }, 'lockMs: must be a whole number (ms) of at least 1000'],
    [
      { fleet, connection: {}, queueName: 'a:b' },
      "queueName: must be a string without a colon, such as 'opendelivery'",
    ],
  ])('%o is refused', (options, message) => {
    expect(messageOf(options)).toBe(message);
  });

  it.each([
    ['pool', createClientPool()],
    ['cluster', createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] })],
  ])('a %s of node-redis is refused, which BullMQ cannot use', (_what, connection) => {
    expect(messageOf({ fleet, connection })).toMatch(/^connection: must be one client of node-redis/);
  });

  it('a fleet without a listener is refused', () => {
    expect(messageOf({ fleet, connection: {} })).toMatch(/listener/);
  });

  it('a connection that BullMQ cannot use is refused, and the fleet can be started again', async () => {
    const listening = new HubFleet({ baseUrl: 'https://hub.example', stores: [] });
    listening.on('CREATED', () => {});
    const client = new Redis({ lazyConnect: true, keyPrefix: 'a:' });
    expect(messageOf({ fleet: listening, connection: client })).toMatch(
      /^connection: cannot be used: .*prefix/,
    );
    await soon(() => listening.start());
    await listening.stop();
  });
});
