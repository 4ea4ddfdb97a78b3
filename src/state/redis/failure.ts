import { StateError } from '../../errors/index.js';

/** What a message of Redis, ioredis or node-redis means for the application. The first match counts. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [/NOAUTH|WRONGPASS|invalid password|invalid username/i, 'check the username and password of the client'],
  [
    /NOPERM|can't run this command|ACL failure/,
    'the ACL user of the client lacks a permission; docs/redis-state.md lists the keys and commands that it needs',
  ],
  [/\bOOM\b/, 'Redis is out of memory: raise its maxmemory, and keep maxmemory-policy noeviction'],
  [/READONLY/, 'the client is connected to a replica: connect it to the primary'],
  [/LOADING/, 'Redis is starting and loads its data: wait until it is ready'],
  [/MISCONF/, 'Redis cannot save to its disk: check its log and the free space'],
  [/CLUSTERDOWN|MASTERDOWN/, 'the Redis cluster is not complete: check its nodes'],
  [
    /CROSSSLOT|same slot/i,
    'the keys of a store must be in one slot of the cluster: use the option prefix of redisState instead of the keyPrefix of the client',
  ],
  [/^BUSY /, 'another script blocks Redis: SCRIPT KILL ends it'],
  [/NOREPLICAS/, 'Redis has fewer replicas than its min-replicas-to-write: check them'],
  [
    /ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|timed? ?out|socket|connection|connect\b|closed|offline|writeable|max retries/i,
    'Redis cannot be reached: check that it is running, that the client has the right address, and that the client is connected',
  ],
];

/**
 * An error of a Redis client as a StateError that says what to do.
 *
 * Clients attach the command and its arguments to their errors, and the token
 * can be one of these: only the name and the message are kept.
 */
export function toStateError(error: unknown): StateError {
  const { name, message } = describe(error);
  const cause = new Error(message);
  cause.name = name;
  return new StateError(`redisState: ${withRemedy(message)}`, { cause });
}

/** A message of Redis or of a client, and what to do. @param own - remedies that are looked at first. */
export function withRemedy(message: string, own: typeof REMEDIES = []): string {
  const remedy = [...own, ...REMEDIES].find(([pattern]) => pattern.test(message))?.[1];
  return remedy ? `${message}; ${remedy}` : message;
}

export function describe(error: unknown): { name: string; message: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  // Without a message are node-redis's TimeoutError, and Node's AggregateError for a refused connection.
  const code = 'code' in error ? String(error.code) : '';
  return { name: error.name, message: error.message || code || error.name };
}
