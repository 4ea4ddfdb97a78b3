import { constants as buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isFromFuture } from '../../clock.js';
import { codeOf, ignoreMissing, toStateError } from './errors.js';
import { expiryIn, remainingMs } from './expiry.js';
import { openOwnFile } from './own-file.js';
import { refuseUnsafeDirectory } from './ownership.js';
import { replaceFile } from './replace-file.js';
import { decodeHead, decodeValue, encodeValue, HEAD_BYTES } from './value-format.js';

const NAME = /^[0-9a-f]{64}$/;
const HALF_WRITTEN = /^[0-9a-f]{64}\.new$/;

/** Values, each in its own file, which is always replaced as a whole. The names are hashes of the keys. */
export class FileValues {
  readonly #directory: string;
  readonly #throwIfLost: () => Promise<void>;
  /** When values expire, on the monotonic clock: setting the wall clock does not change it. */
  readonly #endsAt = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param throwIfLost - rejects if another process has taken the directory over. */
  constructor(directory: string, throwIfLost: () => Promise<void>) {
    this.#directory = join(directory, 'values');
    this.#throwIfLost = throwIfLost;
  }

  get(key: string, clock: Clock): Promise<string | undefined> {
    return this.#queue('reading', () => this.#read(key, clock));
  }

  set(key: string, value: string, forMs: number, clock: Clock): Promise<void> {
    return this.#queue('writing to', async () => {
      const content = encodeValue(key, value, expiryIn(forMs, clock));
      await this.#makeDirectory();
      await replaceFile(this.#pathOf(key), content);
      this.#endsAt.set(key, clock.monotonic() + forMs);
      await this.#throwIfLost();
    });
  }

  delete(key: string, expected: string | undefined, clock: Clock): Promise<void> {
    return this.#queue('writing to', async () => {
      if (expected === undefined || (await this.#read(key, clock)) === expected) await this.#remove(key);
    });
  }

  /** Removes expired values, also of stores that are never used again, and files that a crash left half written. */
  sweep(clock: Clock): Promise<void> {
    return this.#queue('reading', async () => {
      const now = clock.now();
      for (const name of await readdir(this.#directory).catch(() => [])) {
        const path = join(this.#directory, name);
        const isLeftOver = HALF_WRITTEN.test(name) || (NAME.test(name) && (await isExpired(path, now)));
        if (isLeftOver) await rm(path, { force: true });
      }
    });
  }

  /** Resolves when no call is in progress. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #read(key: string, clock: Clock): Promise<string | undefined> {
    const found = decodeValue(await readWhole(this.#pathOf(key)));
    if (found?.key !== key || isFromFuture(found.until - found.forMs, clock)) return undefined;
    const now = clock.monotonic();
    const endsAt = this.#endsAt.get(key) ?? now + remainingMs(found, clock.now());
    this.#endsAt.set(key, endsAt);
    if (endsAt > now) return found.value;
    await this.#remove(key);
    return undefined;
  }

  async #remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
    this.#endsAt.delete(key);
  }

  /** Does not create the parents: a state whose directory was removed must not create it again. */
  async #makeDirectory(): Promise<void> {
    await mkdir(this.#directory, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await this.#checkDirectory();
  }

  async #checkDirectory(): Promise<void> {
    const stats = await lstat(this.#directory).catch(ignoreMissing);
    if (stats) refuseUnsafeDirectory(this.#directory, stats);
  }

  #pathOf(key: string): string {
    return join(this.#directory, createHash('sha256').update(key).digest('hex'));
  }

  /** Runs one call after another: nothing may happen between the comparison and the removal of `delete`. */
  #queue<T>(doing: string, work: () => Promise<T>): Promise<T> {
    const begin = async () => {
      await this.#throwIfLost();
      await this.#checkDirectory();
      return work();
    };
    const done = this.#last.then(begin).catch((error: unknown) => {
      throw toStateError(doing, this.#directory, error);
    });
    this.#last = done.catch(() => {});
    return done;
  }
}

/** @returns an empty string if there is no file, or one that is too large for a string. */
async function readWhole(path: string): Promise<string> {
  const read = async (file: FileHandle) => {
    const { size } = await file.stat();
    return size > buffer.MAX_STRING_LENGTH ? '' : file.readFile('utf8');
  };
  return (await withFile(path, read).catch(ignoreMissing)) ?? '';
}

async function isExpired(path: string, now: number): Promise<boolean> {
  try {
    return await withFile(path, async (file) => {
      const bytes = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
      const head = decodeHead(bytes.toString('utf8', 0, bytesRead));
      return head !== undefined && remainingMs(head, now) <= 0;
    });
  } catch {
    return false;
  }
}

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openOwnFile(path, constants.O_RDONLY);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
