import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../errors.js';
import { codeOf, fileFailure } from './file-failure.js';
import { type Holder, lifeOf, readHolder, thisProcess } from './file-holder.js';

/** A process of which nothing can be known counts as gone when it has written nothing for this long. */
const SILENCE_MS = 60_000;

/** So often it writes that it is there: a poller that backs off writes nothing else for half an hour. */
const SIGN_EVERY_MS = 15_000;

const SIGN_NAME = 'sign-of-life';

/** Who takes over at the same moment wins or sees the winner; more than a few rounds is something else. */
const MAX_ROUNDS = 20;

const LOCK_NAME = /^process-(\d{1,12})\.lock$/;
const CLAIM_NAME = /^process-[\w-]+\.claim$/;

/** Given back when the process ends in an orderly way, by one listener for however many directories. */
const held = new Set<DirectoryLock>();
const releaseAll = () => {
  for (const lock of held) lock.release();
};

interface Found {
  readonly path: string;
  readonly number: number;
  readonly holder: Holder | undefined;
  readonly isLive: boolean;
}

/**
 * One process per directory.
 *
 * A lock is a file `process-<number>.lock` that names its process, put there whole by
 * a hard link, which only one can make. A lock of a dead process is not
 * removed and made again, which two could do at once: the next number is taken,
 * and by one only. Then all locks are looked at once more; of two that are
 * there together at least one sees the other and withdraws.
 */
export class DirectoryLock {
  readonly #path: string;
  readonly #identity: string;
  readonly #signs: NodeJS.Timeout;

  private constructor(directory: string, path: string) {
    this.#path = path;
    this.#identity = identityOf(statSync(path));
    // Actual time: other processes know no other. A sign that cannot be written is one sign fewer.
    const sign = join(directory, SIGN_NAME);
    this.#signs = setInterval(
      () => void writeFile(sign, '.', { mode: 0o600 }).catch(() => {}),
      SIGN_EVERY_MS,
    );
    this.#signs.unref();
    if (held.size === 0) process.on('exit', releaseAll);
    held.add(this);
  }

  /** @throws {StateError} another live process has the directory, or it cannot be written to. */
  static acquire(directory: string): DirectoryLock {
    try {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const path = tryAcquire(directory);
        if (path !== undefined) return new DirectoryLock(directory, path);
      }
    } catch (error) {
      throw fileFailure('locking', directory, error);
    }
    throw new StateError(
      `fileState: several processes want ${directory} at once; run one process over it, or share a redisState`,
    );
  }

  /** False when another process has taken the directory over, or it was removed. */
  async isHeld(): Promise<boolean> {
    try {
      return identityOf(await stat(this.#path)) === this.#identity;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  isHeldNow(): boolean {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    return found !== undefined && identityOf(found) === this.#identity;
  }

  release(): void {
    clearInterval(this.#signs);
    held.delete(this);
    if (held.size === 0) process.off('exit', releaseAll);
    try {
      if (this.isHeldNow()) unlinkSync(this.#path);
    } catch {
      // The next process sees that this one is gone.
    }
  }
}

/** @returns the lock's path; undefined when another was faster and it is to be looked at again. */
function tryAcquire(directory: string): string | undefined {
  const claim = join(directory, `process-${randomUUID()}.claim`);
  writeFileSync(claim, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
  try {
    // The file system's own clock, which may be another than ours.
    const now = statSync(claim).mtimeMs;
    const found = locksIn(directory, now);
    refuseIfLive(directory, found);
    const number = Math.max(0, ...found.map((each) => each.number)) + 1;
    const path = join(directory, `process-${number}.lock`);
    if (!linkOnce(claim, path)) return undefined;
    try {
      refuseIfLive(
        directory,
        locksIn(directory, now).filter((each) => each.number !== number),
      );
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
    for (const dead of found) rmSync(dead.path, { force: true });
    sweepClaims(directory, now);
    return path;
  } finally {
    rmSync(claim, { force: true });
  }
}

function locksIn(directory: string, now: number): Found[] {
  const found: Found[] = [];
  for (const name of readdirSync(directory)) {
    const number = LOCK_NAME.exec(name)?.[1];
    if (number === undefined) continue;
    const path = join(directory, name);
    try {
      const holder = readHolder(readFileSync(path, 'utf8'));
      const life = lifeOf(holder);
      const isLive =
        life === 'alive' || (life === 'unknown' && now - lastSignOf(directory, path, now) < SILENCE_MS);
      found.push({ path, number: Number(number), holder, isLive });
    } catch (error) {
      // Given back while we looked.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return found;
}

/** When the holder last wrote anything; what a clock that was put back since has dated far ahead says nothing. */
function lastSignOf(directory: string, lock: string, now: number): number {
  const paths = [lock, ...[SIGN_NAME, 'journal', 'values'].map((name) => join(directory, name))];
  const times = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(0, ...times.filter((time) => time < now + SILENCE_MS));
}

function refuseIfLive(directory: string, found: readonly Found[]): void {
  const live = found.find(({ isLive }) => isLive);
  if (live) throw new StateError(`fileState: ${directory} is in use by ${nameOf(live.holder)}`);
}

function nameOf(holder: Holder | undefined): string {
  const remedy = 'run one process over it, or share a redisState';
  const self = thisProcess();
  if (!holder) {
    return `a process that cannot be told; if there is none, try again after ${SILENCE_MS / 1000} s, otherwise ${remedy}`;
  }
  const { pid, host } = holder;
  if (pid === self.pid && lifeOf(holder, self) === 'unknown') {
    return `this process: by a fileState that is being closed (await its close()), another thread, or another copy of this package; one that is gone is in the way for ${SILENCE_MS / 1000} s`;
  }
  if (lifeOf(holder, self) === 'unknown') {
    return `process ${pid} on ${host}, which cannot be looked at from here; if it is gone, try again after ${SILENCE_MS / 1000} s, otherwise ${remedy}`;
  }
  return `process ${pid}; ${remedy}`;
}

/** Links where the file system can, writes otherwise; false when the name was taken. */
function linkOnce(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = codeOf(error);
    // Swept away by one who thought us dead, or taken: to be looked at again.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(code)) throw error;
  }
  try {
    writeFileSync(to, readFileSync(from), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** What processes that died in the middle have left. */
function sweepClaims(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    if (!CLAIM_NAME.test(name)) continue;
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && now - found.mtimeMs > SILENCE_MS) rmSync(path, { force: true });
  }
}

function identityOf({ ino, mtimeMs }: { ino: number; mtimeMs: number }): string {
  return `${ino}:${mtimeMs}`;
}
