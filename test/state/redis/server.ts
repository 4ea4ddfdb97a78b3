import { whereInstalled } from '../../where-installed.js';
import { startRedis } from './start.js';

export type { RedisServer, StartRedis } from './start.js';

/** A suite, and a test, that needs a Redis. */
export const { describeWith: describeWithRedis, itWith: itWithRedis } = whereInstalled(
  'redis-server',
  startRedis,
);
