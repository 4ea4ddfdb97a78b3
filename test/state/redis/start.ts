import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, ready } from '../../server-process.js';

/** A Redis for one test, on a socket in its own folder: it needs no port, which another test could use. */
export interface RedisServer {
  /** For ioredis `new Redis(socketPath)`, for node-redis `createClient({ socket: { path: socketPath, tls: false } })`. */
  readonly socketPath: string;
  /** Kills it; its data is lost. */
  kill(): Promise<void>;
  /** Starts it again at the same socket, empty. */
  restart(): Promise<void>;
  /** Suspends its process: it accepts commands and does not reply until `resume`. */
  freeze(): void;
  resume(): void;
  /** Kills it and removes its folder. */
  close(): Promise<void>;
}

/** As tests get it from `describeWithRedis` and `itWithRedis`, which skip them where Redis is not installed. */
export type StartRedis = typeof startRedis;

/** @throws {Error} the program is not installed, or does not start. */
export async function startRedis(...options: readonly string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const socketPath = join(folder, 'socket');
  let child = await startServer(folder, socketPath, options);
  const kill = () => end(child, 'SIGKILL');
  // Otherwise the server would outlive an aborted test run.
  const onExit = () => void child.kill('SIGKILL');
  process.once('exit', onExit);
  return {
    socketPath,
    kill,
    async restart() {
      await kill();
      child = await startServer(folder, socketPath, options);
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

async function startServer(
  folder: string,
  socketPath: string,
  options: readonly string[],
): Promise<ChildProcess> {
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
  await ready(child, child.stdout);
  return child;
}
