import { ConfigurationError } from '../../errors.js';
import type { Script } from './scripts.js';

/** What is used of an ioredis `Redis` or `Cluster`. */
export interface IoredisClient {
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  readonly status?: string;
}

/** What is used of a node-redis client, cluster or pool (`redis`, `@redis/client`). */
export interface NodeRedisClient {
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  readonly isReady?: boolean;
}

/** The application's own client, connected by it and closed by it. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Runs one script on its keys. */
export interface Runner {
  run(script: Script, keys: readonly string[], parameters: readonly string[]): Promise<unknown>;
  /** False while the client has no connection, and may keep a command for however long. */
  isReady(): boolean;
}

/** @throws {ConfigurationError} it is neither an ioredis nor a node-redis client. */
export function runnerOf(client: RedisClient): Runner {
  // Version 3 of node-redis has the same name, and calls back.
  const isCallingBack = has(client, 'internal_send_command');
  if (has(client, 'evalsha') && !isCallingBack) return ioredisRunner(client as IoredisClient);
  if (has(client, 'evalSha')) return nodeRedisRunner(client as NodeRedisClient);
  throw new ConfigurationError(
    'client',
    'must be a client of ioredis (new Redis(url)) or of node-redis, version 4 or newer (await createClient({ url }).connect())',
  );
}

function ioredisRunner(client: IoredisClient): Runner {
  return {
    run: ({ sha1, text }, keys, parameters) =>
      client
        .evalsha(sha1, keys.length, ...keys, ...parameters)
        .catch((error: unknown) =>
          onUnknownScript(error, () => client.eval(text, keys.length, ...keys, ...parameters)),
        ),
    isReady: () => client.status === undefined || client.status === 'ready',
  };
}

function nodeRedisRunner(client: NodeRedisClient): Runner {
  return {
    run: ({ sha1, text }, keys, parameters) => {
      const options = { keys: [...keys], arguments: [...parameters] };
      return client
        .evalSha(sha1, options)
        .catch((error: unknown) => onUnknownScript(error, () => client.eval(text, options)));
    },
    isReady: () => client.isReady !== false,
  };
}

/** Redis forgets scripts when it restarts, and then is given the text. */
function onUnknownScript(error: unknown, retry: () => Promise<unknown>): Promise<unknown> {
  if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return retry();
  throw error;
}

function has(client: unknown, method: string): boolean {
  const isObject = (typeof client === 'object' || typeof client === 'function') && client !== null;
  return isObject && typeof Reflect.get(client, method) === 'function';
}
