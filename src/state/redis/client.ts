import { ConfigurationError } from '../../errors/index.js';
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

export interface ScriptRunner {
  run(script: Script, keys: readonly string[], parameters: readonly string[]): Promise<unknown>;
  /** False while the client has no connection: it may then queue a command for any time. */
  isReady(): boolean;
}

/** @throws {ConfigurationError} `client` is neither an ioredis nor a node-redis client. */
export function scriptRunnerOf(client: RedisClient): ScriptRunner {
  // Version 3 of node-redis has the same method name as ioredis, but takes callbacks.
  const hasCallbacks: boolean = has(client, 'internal_send_command');
  if (has<IoredisClient>(client, 'evalsha') && !hasCallbacks) {
    return {
      run: ({ sha1, text }, keys, parameters) =>
        client
          .evalsha(sha1, keys.length, ...keys, ...parameters)
          .catch(ifUnknown(() => client.eval(text, keys.length, ...keys, ...parameters))),
      isReady: () => client.status === undefined || client.status === 'ready',
    };
  }
  if (has<NodeRedisClient>(client, 'evalSha')) {
    return {
      run: ({ sha1, text }, keys, parameters) => {
        const options = { keys: [...keys], arguments: [...parameters] };
        return client.evalSha(sha1, options).catch(ifUnknown(() => client.eval(text, options)));
      },
      isReady: () => client.isReady !== false,
    };
  }
  throw new ConfigurationError(
    'client',
    'must be a client of ioredis (new Redis(url)) or of node-redis, version 4 or newer (await createClient({ url }).connect())',
  );
}

/** Redis forgets its scripts when it restarts. Then the script itself is sent instead of its hash. */
const ifUnknown = (retry: () => Promise<unknown>) => (error: unknown) => {
  if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return retry();
  throw error;
};

function has<Client extends RedisClient>(client: unknown, method: string): client is Client {
  const isObject = (typeof client === 'object' || typeof client === 'function') && client !== null;
  return isObject && typeof Reflect.get(client, method) === 'function';
}
