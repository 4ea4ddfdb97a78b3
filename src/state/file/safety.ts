import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { StateError } from '../../errors.js';
import { codeOf } from './failure.js';

/**
 * Never through a link, and never waiting for the other end of a FIFO. Windows
 * has neither flag: there the name is looked at before it is opened.
 */
const CAREFULLY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const isLookedAtFirst = !constants.O_NOFOLLOW;

/** What the system answers when a name that must be a file is something else. */
const NOT_A_FILE: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'EOPNOTSUPP', 'EISDIR'];

export interface OwnFileOptions {
  /** A second name is expected: a lock has one for a moment while it is made. */
  readonly mayHaveSecondName?: boolean;
}

/**
 * Opens a file of the state's directory, and only a file: of this user, with
 * one name, not a link.
 *
 * @param flags - as `O_RDONLY`; a file that it creates has the mode 0600.
 * @throws {StateError} there is something else under that name.
 */
export async function openOwnFile(path: string, flags: number): Promise<FileHandle> {
  if (isLookedAtFirst) await lstat(path).then((stats) => refuseForeign(path, stats), ignoreMissing);
  const file = await open(path, flags | CAREFULLY, 0o600).catch(async (error: unknown) => {
    if (NOT_A_FILE.includes(codeOf(error))) refuseForeign(path, await lstat(path));
    throw error;
  });
  try {
    refuseForeign(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads the beginning of such a file without giving way.
 *
 * @throws {StateError} there is something else under that name.
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

/** Opens such a file for reading. @throws {StateError} there is something else under that name. */
export function openOwnFileSync(path: string, options: OwnFileOptions = {}): number {
  if (isLookedAtFirst) refuseForeign(path, lstatSync(path), options);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | CAREFULLY);
  } catch (error) {
    if (NOT_A_FILE.includes(codeOf(error))) refuseForeign(path, lstatSync(path), options);
    throw error;
  }
  try {
    refuseForeign(path, fstatSync(file), options);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/**
 * Refuses a directory in which another user could put files, or replace them.
 * Windows has other permissions, which are not looked at.
 *
 * @throws {StateError} with the remedy.
 */
export function refuseUnsafeDirectory(path: string, stats: Stats): void {
  if (!stats.isDirectory()) throw unusable(path, `is ${kindOf(stats)}, not a directory; remove it`);
  const { geteuid } = process;
  if (!geteuid) return;
  if (stats.uid !== geteuid()) {
    throw unusable(
      path,
      `belongs to another user (uid ${stats.uid}), who could replace what is kept in it; give it to the user the process runs as, or give fileState a new directory, which it makes for this user only`,
    );
  }
  if ((stats.mode & 0o022) === 0) return;
  const mode = (stats.mode & 0o7777).toString(8);
  throw unusable(
    path,
    `can be written to by other users (mode ${mode}), who could replace what is kept in it; chmod 700 it, or give fileState a new directory below it, which it makes for this user only`,
  );
}

function refuseForeign(path: string, stats: Stats, { mayHaveSecondName = false }: OwnFileOptions = {}): void {
  if (!stats.isFile()) throw unusable(path, `is ${kindOf(stats)}, not a file; remove it`);
  if (stats.nlink > 1 && !mayHaveSecondName) {
    throw unusable(
      path,
      'has a second name elsewhere (a hard link), under which it could be changed; remove it',
    );
  }
  const isForeign = process.geteuid !== undefined && stats.uid !== process.geteuid();
  if (isForeign) {
    throw unusable(
      path,
      `belongs to another user (uid ${stats.uid}); remove it, or give it to the user the process runs as`,
    );
  }
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFile()) return 'a file';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const unusable = (path: string, why: string) => new StateError(`fileState: ${path} ${why}`);

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
