import type { ConnectionOptions } from 'bullmq';
import { ConfigurationError } from '../../errors/index.js';
import { type Check, number, object, resolve } from '../../options/checks.js';
import {
  checksOf,
  defaultsOf,
  type GivenOptions,
  type OptionValues,
  option,
  required,
} from '../../options/table.js';
import type { RedisClient } from '../../state/redis/client.js';
import { describe, withRemedy } from '../../state/redis/failure.js';
import type { HubFleet } from '../fleet.js';

/** Options of an ioredis client, which the worker then creates and closes. */
export interface RedisOptions {
  /** Default: '127.0.0.1'. */
  readonly host?: string | undefined;
  /** Default: 6379. */
  readonly port?: number | undefined;
  /** The path of a Unix socket, instead of `host` and `port`. */
  readonly path?: string | undefined;
  readonly [option: string]: unknown;
}

/** A client of ioredis or node-redis that the application closes, or the options of an ioredis client. */
export type WorkerConnection = RedisClient | RedisOptions;

const queueName: Check<string> = (name, value) => {
  if (typeof value === 'string' && /^[^\p{Cc}:]+$/u.test(value)) return value;
  throw new ConfigurationError(name, "must be a string without a colon, such as 'opendelivery'");
};

const redis = object<WorkerConnection>('a Redis client, or { host, port }');

const connection: Check<WorkerConnection> = (name, value) => {
  const given = redis(name, typeof value === 'function' || Array.isArray(value) ? undefined : value);
  // BullMQ would take a pool for the options of an ioredis client, of 127.0.0.1, and fetch no job through a cluster.
  const isOneOfMany = 'evalSha' in given && (!('isReady' in given) || 'masters' in given);
  if (isOneOfMany) {
    throw new ConfigurationError(
      name,
      'must be one client of node-redis (createClient), no pool or cluster; for a Redis Cluster, pass a Cluster of ioredis',
    );
  }
  // With the options of a client, BullMQ would use it for some keys of a queue and not for others.
  const options: unknown = Reflect.get(given, 'options') ?? given;
  if (!Reflect.get(Object(options), 'keyPrefix')) return given;
  throw new ConfigurationError(
    name,
    'must have no keyPrefix, which BullMQ cannot use; pass another client, or other options, and name the queue with queueName',
  );
};

/** Each shard is a job in Redis, and its worker looks at all of them. */
const MAX_SHARDS = 10_000;

/** A fleet, whatever its inbox commits to. */
export type WorkerFleet = Pick<HubFleet, 'health' | 'remove' | 'stop' | 'close'>;

const OPTIONS = {
  /** The fleet, with the same stores in every process. The worker starts it for its shards. */
  fleet: required(object<WorkerFleet>('a HubFleet', 'startShards')),
  /** The Redis of the queue: a client of ioredis or node-redis, or the options of an ioredis client. */
  connection: required(connection),
  /** Into how many parts the stores are divided, at most 10 000. The same in every process. Default: 256. */
  shards: option(256, number({ min: 1, max: MAX_SHARDS, integer: true, unit: 'shards' })),
  /** How long a process that is silent keeps its shards, in ms. Default: 30 000. */
  lockMs: option(30_000, number({ min: 1000, integer: true, unit: 'ms' })),
  /** The beginning of the queue's name; the number of shards follows it. Default: 'opendelivery'. */
  queueName: option('opendelivery', queueName),
};

/** Options of `fleetWorker`. */
export interface FleetWorkerOptions extends GivenOptions<typeof OPTIONS, 'fleet' | 'connection'> {}

export const WORKER_DEFAULTS = defaultsOf(OPTIONS);
const CHECKS = checksOf(OPTIONS);

/** @throws {ConfigurationError} an option is missing, unknown or invalid. */
export function resolveWorkerOptions(given: FleetWorkerOptions): OptionValues<typeof OPTIONS> {
  const resolved = resolve('', given, WORKER_DEFAULTS, CHECKS);
  if (resolved.fleet === undefined) throw new ConfigurationError('fleet', 'is missing; pass a HubFleet');
  if (resolved.connection !== undefined) return resolved;
  throw new ConfigurationError('connection', 'is missing; pass a Redis client, or { host, port }');
}

/** Why the queue has failed, and what to do about it. */
export const reasonOf = (error: Error): string =>
  withRemedy(describe(error).message, [
    [/CROSSSLOT|same slot/i, 'in a Redis Cluster, queueName needs braces: {opendelivery}'],
    [
      /NOPERM/,
      'the ACL user of the connection lacks a permission: BullMQ needs the keys bull:* and the command INFO',
    ],
  ]);

interface IoredisOptions {
  readonly maxRetriesPerRequest?: number | null;
  readonly socketTimeout?: number | undefined;
}

interface Ioredis {
  readonly options: IoredisOptions;
  duplicate(options: IoredisOptions): Ioredis;
  disconnect(): void;
}

/** BullMQ waits up to ten seconds for a job, in one command. */
const LEAST_SOCKET_TIMEOUT_MS = 15_000;

/** The time limit of a socket, if it has one, for a connection that waits for jobs. */
const socketTimeoutOf = ({ socketTimeout }: IoredisOptions) =>
  typeof socketTimeout === 'number' && { socketTimeout: Math.max(socketTimeout, LEAST_SOCKET_TIMEOUT_MS) };

/**
 * BullMQ refuses an ioredis client that gives up commands while Redis is away,
 * as it does by default. Such a client is duplicated.
 *
 * @returns the connection, and a function that closes what was opened here.
 */
export function connectionFor(given: WorkerConnection): {
  readonly connection: ConnectionOptions;
  readonly closeConnection: () => void;
} {
  if (!isIoredis(given)) {
    const isClient = 'evalSha' in given || 'evalsha' in given;
    const options = isClient ? given : { ...given, ...socketTimeoutOf(given as IoredisOptions) };
    return { connection: options as ConnectionOptions, closeConnection: () => {} };
  }
  const { maxRetriesPerRequest, socketTimeout = LEAST_SOCKET_TIMEOUT_MS } = given.options;
  if (!maxRetriesPerRequest && socketTimeout >= LEAST_SOCKET_TIMEOUT_MS) {
    return { connection: given as unknown as ConnectionOptions, closeConnection: () => {} };
  }
  const own = given.duplicate({ maxRetriesPerRequest: null, ...socketTimeoutOf(given.options) });
  return { connection: own as unknown as ConnectionOptions, closeConnection: () => own.disconnect() };
}

function isIoredis(connection: object): connection is Ioredis {
  return 'defineCommand' in connection && 'duplicate' in connection && 'options' in connection;
}
