import { randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../../errors.js';
import { codeOf, fileFailure } from './failure.js';
import { thisProcess } from './holder.js';
import { locksIn, MADE_BY_LINK, MAX_LOCK_BYTES, refuseIfLive, SIGN_NAME, SILENCE_MS } from './lock-owners.js';
import { openOwnFile, openOwnFileSync, readOwnFileSync } from './safety.js';

/** So often it writes that it is there: a poller that backs off writes nothing else for half an hour. */
const SIGN_EVERY_MS = 15_000;

/** Who takes over at the same moment wins or sees the winner; more than a few rounds is something else. */
const MAX_ROUNDS = 20;

const CLAIM_NAME = /^process-[\w-]+\.claim$/;

/** Given back when the process ends in an orderly way, by one listener for however many directories. */
const held = new Set<DirectoryLock>();
const releaseAll = () => {
  for (const lock of held) lock.release();
};

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
  readonly #directory: string;
  readonly #path: string;
  /** Open as long as the lock is held: only then does no other file get its number. */
  readonly #file: number;
  readonly #identity: string;
  readonly #signs: NodeJS.Timeout;

  private constructor(directory: string, path: string) {
    this.#directory = directory;
    this.#path = path;
    this.#file = openOwnFileSync(path, MADE_BY_LINK);
    this.#identity = identityOf(fstatSync(this.#file, { bigint: true }));
    // Actual time: other processes know no other. A sign that cannot be written is one sign fewer.
    this.#signs = setInterval(() => void this.#sign().catch(() => {}), SIGN_EVERY_MS);
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

  /** @throws {StateError} another process has taken the directory over, or it was removed. */
  async throwIfLost(): Promise<void> {
    const found = await lstat(this.#path, { bigint: true }).catch((error) => this.#ignoreMissing(error));
    this.#throwUnless(found);
  }

  /** As `throwIfLost`, without giving way. */
  throwIfLostNow(): void {
    this.#throwUnless(this.#found());
  }

  isHeldNow(): boolean {
    return this.#isOurs(this.#found());
  }

  release(): void {
    if (!held.delete(this)) return;
    clearInterval(this.#signs);
    if (held.size === 0) process.off('exit', releaseAll);
    try {
      if (this.isHeldNow()) unlinkSync(this.#path);
    } catch {
      // The next process sees that this one is gone.
    } finally {
      closeSync(this.#file);
    }
  }

  #found(): BigIntStats | undefined {
    try {
      return lstatSync(this.#path, { bigint: true });
    } catch (error) {
      return this.#ignoreMissing(error);
    }
  }

  #ignoreMissing(error: unknown): undefined {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error)))
      throw fileFailure('looking at', this.#directory, error);
  }

  #isOurs(found: BigIntStats | undefined): boolean {
    return found !== undefined && identityOf(found) === this.#identity;
  }

  #throwUnless(found: BigIntStats | undefined): void {
    if (held.has(this) && this.#isOurs(found)) return;
    throw new StateError(
      `fileState: ${this.#directory} was taken over by another process, or removed, and nothing more is kept in it; restart this process, or give it another directory`,
    );
  }

  async #sign(): Promise<void> {
    if (!this.isHeldNow()) return;
    const file = await openOwnFile(join(this.#directory, SIGN_NAME), constants.O_WRONLY | constants.O_CREAT);
    await file.write('.', 0).finally(() => file.close());
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
    writeFileSync(to, readOwnFileSync(from, MAX_LOCK_BYTES), { flag: 'wx', mode: 0o600 });
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
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && now - found.mtimeMs > SILENCE_MS) rmSync(path, { force: true });
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
