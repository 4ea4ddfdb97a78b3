import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, unlinkSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../../errors.js';
import { codeOf, toStateError } from './errors.js';
import { HEARTBEAT_NAME, MADE_BY_LINK } from './existing-locks.js';
import { claimDirectory } from './lock-claim.js';
import { isSameFile, openOwnFile, openOwnFileSync } from './own-file.js';

/** Heartbeats are needed because a poller that backs off writes nothing else for half an hour. */
const HEARTBEAT_EVERY_MS = 15_000;

/** Every round ends with a winner; the bound only guards against an endless loop. */
const MAX_ROUNDS = 20;

/** All locks of this process. One listener releases them when the process exits. */
const openLocks = new Set<DirectoryLock>();
const releaseAll = () => {
  for (const lock of openLocks) lock.release();
};

/** The exclusive right of this process to a directory, as long as its lock file is there. */
export class DirectoryLock {
  readonly #directory: string;
  readonly #path: string;
  /** Stays open, so that no other file can get its inode number. */
  readonly #file: number;
  readonly #stats: BigIntStats;
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(directory: string, path: string) {
    this.#directory = directory;
    this.#path = path;
    this.#file = openOwnFileSync(path, MADE_BY_LINK);
    this.#stats = fstatSync(this.#file, { bigint: true });
    // Real time, because other processes read it. A heartbeat that cannot be written is left out.
    this.#heartbeat = setInterval(() => void this.#beat().catch(() => {}), HEARTBEAT_EVERY_MS);
    this.#heartbeat.unref();
    if (openLocks.size === 0) process.on('exit', releaseAll);
    openLocks.add(this);
  }

  /** @throws {StateError} another live process has the directory, or it cannot be written to. */
  static acquire(directory: string): DirectoryLock {
    try {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const path = claimDirectory(directory);
        if (path !== undefined) return new DirectoryLock(directory, path);
      }
    } catch (error) {
      throw toStateError('locking', directory, error);
    }
    throw new StateError(
      `fileState: several processes try to open ${directory} at once; use one process per directory, or redisState for several`,
    );
  }

  /** @throws {StateError} another process has taken the directory over, or it was removed. */
  async throwIfLost(): Promise<void> {
    this.#throwUnless(await lstat(this.#path, { bigint: true }).catch((error) => this.#ifMissing(error)));
  }

  /** As `throwIfLost`, synchronously. */
  throwIfLostNow(): void {
    this.#throwUnless(this.#find());
  }

  isHeldNow(): boolean {
    return isSameFile(this.#find(), this.#stats);
  }

  release(): void {
    if (!openLocks.delete(this)) return;
    clearInterval(this.#heartbeat);
    if (openLocks.size === 0) process.off('exit', releaseAll);
    try {
      if (this.isHeldNow()) unlinkSync(this.#path);
    } catch {
      // The next process sees that this one has ended.
    } finally {
      closeSync(this.#file);
    }
  }

  #find(): BigIntStats | undefined {
    try {
      return lstatSync(this.#path, { bigint: true });
    } catch (error) {
      return this.#ifMissing(error);
    }
  }

  #ifMissing(error: unknown): undefined {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) {
      throw toStateError('looking at', this.#directory, error);
    }
  }

  #throwUnless(found: BigIntStats | undefined): void {
    if (openLocks.has(this) && isSameFile(found, this.#stats)) return;
    throw new StateError(
      `fileState: ${this.#directory} was taken over by another process, or removed; nothing more is stored in it. Restart this process, or give it another directory`,
    );
  }

  async #beat(): Promise<void> {
    if (!this.isHeldNow()) return;
    const flags = constants.O_WRONLY | constants.O_CREAT;
    const file = await openOwnFile(join(this.#directory, HEARTBEAT_NAME), flags);
    await file.write('.', 0).finally(() => file.close());
  }
}
