import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { codeOf, ignoreMissing } from './errors.js';
import { type OwnFileOptions, refuseForeignFile } from './ownership.js';

/**
 * Does not follow a link, and does not wait for the other end of a FIFO.
 * Windows has neither flag: there the name is checked before it is opened.
 */
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const mustCheckFirst = !constants.O_NOFOLLOW;

/** What `open` with these flags fails with if the name is not a file. */
const NOT_A_FILE: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'EOPNOTSUPP', 'EISDIR'];

/**
 * Opens a file of the state's directory. Only this user may own it, it may have
 * one name only, and it may not be a link.
 *
 * @param flags - such as `O_RDONLY`; a file that is created has the mode 0600.
 * @throws {StateError} the name is not such a file.
 */
export async function openOwnFile(path: string, flags: number): Promise<FileHandle> {
  if (mustCheckFirst) await lstat(path).then((stats) => refuseForeignFile(path, stats), ignoreMissing);
  const file = await open(path, flags | SAFE_FLAGS, 0o600).catch(async (error: unknown) => {
    if (NOT_A_FILE.includes(codeOf(error))) refuseForeignFile(path, await lstat(path));
    throw error;
  });
  try {
    refuseForeignFile(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Opens such a file for reading, synchronously.
 *
 * @returns its descriptor.
 * @throws {StateError} the name is not such a file.
 */
export function openOwnFileSync(path: string, options: OwnFileOptions = {}): number {
  if (mustCheckFirst) refuseForeignFile(path, lstatSync(path), options);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | SAFE_FLAGS);
  } catch (error) {
    if (NOT_A_FILE.includes(codeOf(error))) refuseForeignFile(path, lstatSync(path), options);
    throw error;
  }
  try {
    refuseForeignFile(path, fstatSync(file), options);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Reads the beginning of such a file, synchronously.
 *
 * @throws {StateError} the name is not such a file.
 */
export function readOwnFileSync(path: string, maxBytes: number, options: OwnFileOptions = {}): string {
  const file = openOwnFileSync(path, options);
  try {
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, 0));
  } finally {
    closeSync(file);
  }
}

/** Whether both exist and are the same file, under whatever names. */
export function isSameFile(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
