import { ConfigurationError } from '../../errors.js';
import type { Script } from './scripts.js';

/** The part of an ioredis `Redis` or `Cluster` that is used. */
export interface IoredisClient {
  /** Runs a script that the server has cached. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs a script. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** The state of the connection; `ready` means connected. Absent: not known. */
  readonly status?: string;
}

/** The part of a node-redis client, cluster or pool (`redis`, `@redis/client`) that is used. */
export interface NodeRedisClient {
  /** Runs a script that the server has cached. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Runs a script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** Whether the client is connected. Absent: not known. */
  readonly isReady?: boolean;
}

/** A client of the application, which connects and closes it. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Runs scripts with one of the two libraries. */
export interface ScriptRunner {
  run(script: Script, keys: readonly string[], parameters: readonly string[]): Promise<unknown>;
  /** False while the client has no connection: it may then queue a command for any time. */
  isReady(): boolean;
}

/** @throws {ConfigurationError} `client` is neither an ioredis nor a node-redis client. */
export function scriptRunnerOf(client: RedisClient): ScriptRunner {
  // Version 3 of node-redis has the same method name as ioredis, but takes callbacks.
  const hasCallbacks = has(client, 'internal_send_command');
  if (has(client, 'evalsha') && !hasCallbacks) return ioredisRunner(client as IoredisClient);
  if (has(client, 'evalSha')) return nodeRedisRunner(client as NodeRedisClient);
  throw new ConfigurationError(
    'client',
    'must be a client of ioredis (new Redis(url)) or of node-redis, version 4 or newer (await createClient({ url }).connect())',
  );
}

function ioredisRunner(client: IoredisClient): ScriptRunner {
  return {
    run: ({ sha1, text }, keys, parameters) =>
      client
        .evalsha(sha1, keys.length, ...keys, ...parameters)
        .catch((error: unknown) =>
          retryIfUnknown(error, () => client.eval(text, keys.length, ...keys, ...parameters)),
        ),
    isReady: () => client.status === undefined || client.status === 'ready',
  };
}

function nodeRedisRunner(client: NodeRedisClient): ScriptRunner {
  return {
    run: ({ sha1, text }, keys, parameters) => {
      const options = { keys: [...keys], arguments: [...parameters] };
      return client
        .evalSha(sha1, options)
        .catch((error: unknown) => retryIfUnknown(error, () => client.eval(text, options)));
    },
    isReady: () => client.isReady !== false,
  };
}

/** Redis forgets its scripts when it restarts. Then the script itself is sent instead of its hash. */
function retryIfUnknown(error: unknown, retry: () => Promise<unknown>): Promise<unknown> {
  if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return retry();
  throw error;
}

function has(client: unknown, method: string): boolean {
  const isObject = (typeof client === 'object' || typeof client === 'function') && client !== null;
  return isObject && typeof Reflect.get(client, method) === 'function';
}
