import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Pool, type PoolConfig } from 'pg';
import { pathOf } from '../../program-missing.js';
import { end, ready } from '../../server-process.js';

/** A Postgres for one suite, on a socket in its own folder: it needs no port, which another test could use. */
export interface PostgresServer {
  /** For `new Pool(address)`. */
  readonly address: Readonly<{ host: string; user: string; database: string }>;
  /** A new pool, which `close` ends. */
  pool(options?: PoolConfig): Pool;
  /** Stops it as a crash does: open connections break, and what was committed is there after `start`. */
  kill(): Promise<void>;
  /** Starts it at the same socket. */
  start(): Promise<void>;
  /** Copies the data; the server is stopped for that moment. */
  save(): Promise<void>;
  /** Replaces the data of a stopped server by the saved copy. */
  restore(): void;
  /** Makes a stopped server a read-only replica, which follows nobody, or ends that. */
  setReplica(isReplica: boolean): void;
  /** Ends its pools, kills it, and removes its folder. */
  close(): Promise<void>;
}

/** As tests get it from `describeWithPostgres`, which skips them where Postgres is not installed. */
export type StartPostgres = typeof startPostgres;

/** Nothing is synced to the disk: no test cuts the power. */
const OPTIONS = ['fsync=off', 'full_page_writes=off', 'listen_addresses=', 'max_connections=60'];

/** @throws {Error} the program is not installed, or does not start. */
export async function startPostgres(): Promise<PostgresServer> {
  const program = pathOf('postgres');
  const account = accountForServer();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const data = join(folder, 'data');
  const saved = join(folder, 'saved');
  const standby = join(data, 'standby.signal');
  if (account) chownSync(folder, account.uid, account.gid);

  const initialized = spawnSync(
    join(dirname(program), 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    { ...account, cwd: folder, encoding: 'utf8' },
  );
  if (initialized.status !== 0) throw new Error(`initdb failed:\n${initialized.stderr}`);

  const options = [...OPTIONS, `unix_socket_directories=${folder}`].flatMap((option) => ['-c', option]);
  const spawnServer = () =>
    spawn(program, ['-D', data, ...options], {
      ...account,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  let child = spawnServer();
  await ready(child, child.stderr);
  // Otherwise the server would outlive an aborted test run.
  const onExit = () => void child.kill('SIGQUIT');
  process.once('exit', onExit);

  const address = { host: folder, user: 'postgres', database: 'postgres' };
  const pools: Pool[] = [];
  const start = async () => {
    child = spawnServer();
    await ready(child, child.stderr);
  };
  const kill = () => end(child, 'SIGQUIT');
  // As the server's user: otherwise the copy would belong to root.
  const copy = (from: string, to: string) => {
    const { status, stderr } = spawnSync('cp', ['-R', '-p', from, to], { ...account, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the data could not be copied: ${stderr}`);
  };
  return {
    address,
    pool(config) {
      const pool = new Pool({ ...address, ...config });
      pools.push(pool);
      return pool;
    },
    kill,
    start,
    async save() {
      await end(child, 'SIGINT');
      copy(data, saved);
      await start();
    },
    restore() {
      rmSync(data, { recursive: true });
      copy(saved, data);
    },
    setReplica(isReplica) {
      if (isReplica) writeFileSync(standby, '');
      else rmSync(standby);
    },
    async close() {
      process.off('exit', onExit);
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()));
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Postgres refuses to run as root. Debian's package makes a user for it. */
function accountForServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = /^(?:postgres|nobody):[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (!account) throw new Error('Postgres cannot run as root, and there is no user postgres or nobody');
  return { uid: Number(account[1]), gid: Number(account[2]) };
}
