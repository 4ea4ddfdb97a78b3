import { Cluster, Redis } from 'ioredis';
import { ConfigurationError, HubFleet } from 'opendelivery-client';
import { type FleetWorkerOptions, fleetWorker } from 'opendelivery-client/bullmq';
import { createClient, createClientPool, createCluster } from 'redis';
import { describe, expect, it } from 'vitest';
import { connectionFor, reasonOf } from '../../../src/fleet/bullmq/options.js';
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

  it.each([
    ['options', { host: '127.0.0.1', keyPrefix: 'app:' }],
    ['a client', new Redis({ lazyConnect: true, keyPrefix: 'app:' })],
    ['a Cluster', new Cluster([{ port: 1 }], { lazyConnect: true, keyPrefix: 'app:' })],
    ['a client of node-redis', createClient({ keyPrefix: 'app:' })],
  ])('%s with a keyPrefix is refused, which BullMQ cannot use', (_what, connection) => {
    expect(messageOf({ fleet, connection })).toMatch(/^connection: must have no keyPrefix.*queueName$/);
  });

  it.each([
    ['options', () => ({ host: '127.0.0.1', socketTimeout: 4000 }), 15_000],
    ['options with a longer one', () => ({ host: '127.0.0.1', socketTimeout: 60_000 }), 60_000],
    ['options without one', () => ({ host: '127.0.0.1' }), undefined],
    ['a client', () => new Redis({ lazyConnect: true, socketTimeout: 4000 }), 15_000],
    [
      'a client that is not refused',
      () => new Redis({ lazyConnect: true, maxRetriesPerRequest: null, socketTimeout: 4000 }),
      15_000,
    ],
    ['a client without one', () => new Redis({ lazyConnect: true }), undefined],
  ])('of %s, the socket waits longer than BullMQ does for a job', (_what, make, expected) => {
    const { connection, closeConnection } = connectionFor(make());
    const { options = connection } = connection as { readonly options?: object };
    expect(Reflect.get(options, 'socketTimeout')).toBe(expected);
    closeConnection();
  });

  it.each([
    ['CROSSSLOT Keys in request', /; in a Redis Cluster, queueName needs braces: \{opendelivery\}$/],
    ['All keys in the pipeline should belong to the same slots allocation group', /queueName needs braces/],
    [
      "NOPERM this user has no permissions to run the 'eval' command",
      /; .*BullMQ needs the keys bull:\* and the command INFO$/,
    ],
    ["READONLY You can't write against a read only replica.", /; .*connect it to the primary$/],
    ['something else', /^something else$/],
  ])('the reason of a failure says what to do: %s', (message, reason) => {
    expect(reasonOf(new Error(message))).toMatch(reason);
  });

  it('a fleet without a listener is refused', () => {
    expect(messageOf({ fleet, connection: {} })).toMatch(/listener/);
  });

  it('a connection that BullMQ cannot use is refused, and the fleet can be started again', async () => {
    const listening = new HubFleet({ baseUrl: 'https://hub.example', stores: [] });
    listening.on('CREATED', () => {});
    const client = new Redis({ lazyConnect: true });
    client.duplicate = () => new Redis({ lazyConnect: true, keyPrefix: 'a:' });
    expect(messageOf({ fleet: listening, connection: client })).toMatch(
      /^connection: cannot be used: .*prefix/,
    );
    await soon(() => listening.start());
    await listening.stop();
  });
});
