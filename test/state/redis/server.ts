import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A Redis of a test's own, on a socket in a folder of its own: no port that another could want. */
export interface RedisServer {
  /** For ioredis `new Redis(socketPath)`, for node-redis `createClient({ socket: { path: socketPath, tls: false } })`. */
  readonly socketPath: string;
  /** Ends it without a goodbye; what it held is gone. */
  kill(): Promise<void>;
  /** Begins it again at the same socket, empty. */
  restart(): Promise<void>;
  /** Stops its process in the middle, so that it takes commands and answers none, until `resume`. */
  freeze(): void;
  resume(): void;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;

/**
 * Whether tests with a Redis can run. Without the program they are skipped,
 * and say so; where everything is required, that is a failure.
 */
export function hasRedis(): boolean {
  if (!isInstalled && process.env.OPENDELIVERY_REQUIRE_ALL === '1') {
    throw new Error(
      'redis-server is not installed, and OPENDELIVERY_REQUIRE_ALL is set: apt-get install redis-server',
    );
  }
  return isInstalled;
}

/** For the name of a suite: why it is skipped, where it is. */
export const REDIS_MISSING = isInstalled ? '' : ' (skipped: redis-server is not installed)';

/** @throws {Error} the program is not there, or does not begin. */
export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const socketPath = join(folder, 'socket');
  let child = await begin(folder, socketPath, options);
  const kill = () => end(child);
  // A run that is broken off leaves no server behind.
  const onExit = () => void child.kill('SIGKILL');
  process.once('exit', onExit);
  return {
    socketPath,
    kill,
    async restart() {
      await kill();
      child = await begin(folder, socketPath, options);
    },
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async close() {
      process.off('exit', onExit);
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function begin(folder: string, socketPath: string, options: readonly string[]): Promise<ChildProcess> {
  const basics = [
    '--port',
    '0',
    '--unixsocket',
    socketPath,
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const child = spawn('redis-server', [...basics, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (!/ready to accept connections/i.test(line)) continue;
    // Read on, or a full pipe would stop it.
    child.stdout.resume();
    return child;
  }
  throw new Error(`redis-server did not begin:\n${lines.join('\n')}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
