import { constants as buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isFromFuture } from '../../clock.js';
import { codeOf, fileFailure } from './failure.js';
import { checksumOf, remainingMs } from './records.js';
import { replaceFile } from './replace.js';
import { openOwnFile, refuseUnsafeDirectory } from './safety.js';

interface Value {
  readonly key: string;
  readonly value: string;
  readonly until: number;
  readonly forMs: number;
}

const NAME = /^[0-9a-f]{64}$/;
const HALF_WRITTEN = /^[0-9a-f]{64}\.new$/;

/** The head of a file is shorter than this; of an expired one no more is read. */
const HEAD_BYTES = 1024;

/**
 * Values, each in a file of its own that is put in its place whole: a head
 * that says whose it is and until when, and the value. Names are hashes of keys.
 */
export class FileValues {
  readonly #directory: string;
  readonly #throwIfLost: () => Promise<void>;
  /** When those written here expire, on the monotonic clock, which nobody puts forward. */
  readonly #untils = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param throwIfLost - rejects when the directory is another process's by now. */
  constructor(directory: string, throwIfLost: () => Promise<void>) {
    this.#directory = join(directory, 'values');
    this.#throwIfLost = throwIfLost;
  }

  get(key: string, clock: Clock): Promise<string | undefined> {
    return this.#inTurn('reading', async () => (await this.#read(key, clock))?.value);
  }

  set(key: string, value: string, forMs: number, clock: Clock): Promise<void> {
    return this.#inTurn('writing to', async () => {
      const path = this.#pathOf(key);
      const body = JSON.stringify(value);
      const until = clock.now() + forMs;
      const head = JSON.stringify({ version: 1, key, until, forMs, checksum: checksumOf(body) });
      await this.#makeDirectory();
      await replaceFile(path, [`${head}\n`, body, '\n']);
      this.#untils.set(key, clock.monotonic() + forMs);
      await this.#throwIfLost();
    });
  }

  delete(key: string, expected: string | undefined, clock: Clock): Promise<void> {
    return this.#inTurn('writing to', async () => {
      if (expected !== undefined && (await this.#read(key, clock))?.value !== expected) return;
      await this.#remove(key);
    });
  }

  /** Removes what is past its time, of stores that may never be asked for again, and what a crash left half written. */
  sweep(clock: Clock): Promise<void> {
    return this.#inTurn('reading', async () => {
      const now = clock.now();
      for (const name of await readdir(this.#directory).catch(() => [])) {
        const path = join(this.#directory, name);
        const isLeftOver = HALF_WRITTEN.test(name) || (NAME.test(name) && (await isExpired(path, now)));
        if (isLeftOver) await rm(path, { force: true });
      }
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #read(key: string, clock: Clock): Promise<Value | undefined> {
    const content = await readText(this.#pathOf(key));
    const found = readValue(content);
    if (!found || found.key !== key || isFromFuture(found.until - found.forMs, clock)) return undefined;
    const now = clock.monotonic();
    const until = this.#untils.get(key) ?? now + remainingMs(found, clock.now());
    this.#untils.set(key, until);
    if (until > now) return found;
    await this.#remove(key);
    return undefined;
  }

  async #remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
    this.#untils.delete(key);
  }

  /** Not those above it: a state whose directory was removed makes it no second time. */
  async #makeDirectory(): Promise<void> {
    await mkdir(this.#directory, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await this.#inspect();
  }

  async #inspect(): Promise<void> {
    const stats = await lstat(this.#directory).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    if (stats) refuseUnsafeDirectory(this.#directory, stats);
  }

  #pathOf(key: string): string {
    return join(this.#directory, createHash('sha256').update(key).digest('hex'));
  }

  /** One after another: a comparison and what follows from it are not to be parted. */
  #inTurn<T>(doing: string, work: () => Promise<T>): Promise<T> {
    const begin = async () => {
      await this.#throwIfLost();
      await this.#inspect();
      return work();
    };
    const done = this.#last.then(begin).catch((error: unknown) => {
      throw fileFailure(doing, this.#directory, error);
    });
    this.#last = done.catch(() => {});
    return done;
  }
}

/** @returns an empty string where there is no file, or one that is too large for a string. */
async function readText(path: string): Promise<string> {
  try {
    const file = await openOwnFile(path, constants.O_RDONLY);
    try {
      const { size } = await file.stat();
      return size > buffer.MAX_STRING_LENGTH ? '' : await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

async function isExpired(path: string, now: number): Promise<boolean> {
  try {
    const file = await openOwnFile(path, constants.O_RDONLY);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      const head = readHead(buffer.toString('utf8', 0, bytesRead));
      return head !== undefined && remainingMs(head, now) <= 0;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** @returns undefined where the file is torn, of another version or not ours. */
function readValue(content: string): Value | undefined {
  const head = readHead(content);
  if (!head) return undefined;
  const body = content.slice(content.indexOf('\n') + 1, -1);
  if (checksumOf(body) !== head.checksum) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? { ...head, value } : undefined;
  } catch {
    return undefined;
  }
}

function readHead(content: string): (Omit<Value, 'value'> & { checksum: string }) | undefined {
  try {
    const given = JSON.parse(content.slice(0, content.indexOf('\n'))) as Record<string, unknown>;
    const { version, key, until, forMs, checksum } = given;
    if (version !== 1 || typeof key !== 'string' || typeof checksum !== 'string') return undefined;
    if (typeof until !== 'number' || typeof forMs !== 'number') return undefined;
    return { key, until, forMs, checksum };
  } catch {
    return undefined;
  }
}
