import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { StateError } from '../../errors/index.js';
import { codeOf } from './failure.js';
import { refuseForeignFile, refuseForeignLink, refuseUnsafeDirectory } from './ownership.js';

const FILE_NAME = 'state.db';

/** Files of the directories of version 0.1.0 and 0.2.0. */
const OLD_NAMES: readonly string[] = ['journal', 'values', 'sign-of-life'];

/**
 * The database file that a path means, created if it does not exist. A path
 * without an extension means a directory, in which the file is `state.db`.
 *
 * @returns its path without links.
 * @throws {StateError} other users could change it, or it is the directory of an old version; the message says what to do.
 */
export function prepareFile(given: string): string {
  const path = resolve(given);
  const isNamed = !isDirectory(path) && (extname(path) !== '' || existsSync(path));
  const directory = prepareDirectory(isNamed ? dirname(path) : path);
  if (!isNamed) refuseOldDirectory(directory);
  const file = join(directory, isNamed ? basename(path) : FILE_NAME);
  createFile(file);
  return file;
}

/** Creates a directory that does not exist. The permissions of its parents are not checked. */
function prepareDirectory(path: string): string {
  makeDirectory(path);
  refuseForeignLink(path, lstatSync(path));
  const real = realpathSync(path);
  refuseUnsafeDirectory(real, lstatSync(real));
  return real;
}

/**
 * Creates a directory for this user only, and its missing parents. Node's
 * `recursive` option loops endlessly where directories cannot be created (/proc).
 */
function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(path)) throw error;
  }
}

/**
 * Creates the file for this user only. It never opens one that exists: closing
 * it would end the locks that SQLite has on it for this process.
 */
function createFile(path: string): void {
  for (const each of filesOf(path)) {
    const stats = lstatSync(each, { throwIfNoEntry: false });
    if (stats) refuseForeignFile(each, stats);
  }
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Takes the permissions of other users away. Only for a database of ours. */
export function protectFiles(path: string): void {
  for (const each of filesOf(path)) if (existsSync(each)) chmodSync(each, 0o600);
}

/** The database, its log, and the index of the log. */
const filesOf = (path: string): readonly string[] => [path, `${path}-wal`, `${path}-shm`];

function refuseOldDirectory(directory: string): void {
  const old = OLD_NAMES.find((name) => existsSync(join(directory, name)));
  if (old === undefined) return;
  throw new StateError(
    `fileState: ${directory} has the state of opendelivery-client 0.1 or 0.2 (the file '${old}'), which this version does not read; it was left as it was. Give fileState another path. It fetches a token and the menu again, and an event that was handled and not yet acknowledged is handled once more: write what an event changes by its key`,
  );
}

/** For a path below a file Node 20 throws ENOTDIR, and later versions return undefined. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
