import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { StateError } from '../../errors/index.js';
import { codeOf } from './failure.js';

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
  // In this order: another process may create the directory between the two.
  const isNamed = (extname(path) !== '' || existsSync(path)) && !isDirectory(path);
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
    `fileState: ${directory} has the state of opendelivery-client 0.1 or 0.2 (the file '${old}'), which this version does not read; it was left as it was. Give fileState another path, and start a minute after the old process has stopped: the polls that it has sent are not known there. The token and the menu are fetched again, and an event that was handled and not yet acknowledged is handled once more: write what an event changes by its key`,
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

/**
 * Refuses what is not a file that only this user can change.
 *
 * @throws {StateError} that says what to do.
 */
function refuseForeignFile(path: string, stats: Stats): void {
  refuseIf(!stats.isFile(), path, `is ${kindOf(stats)}, not a file; remove it`);
  const link = 'has a second name elsewhere (a hard link), under which it could be changed; remove it';
  refuseIf(stats.nlink > 1, path, link);
  const remedy = 'remove it, or give it to the user that the process runs as';
  refuseIf(isOfAnotherUser(stats), path, `belongs to another user (uid ${stats.uid}); ${remedy}`);
  refuseSharedWriting(path, stats, 'who could change it; chmod 600 it');
}

/**
 * Refuses a directory in which another user could put or replace files.
 * Windows has another kind of permissions, which are not checked.
 *
 * @throws {StateError} that says what to do.
 */
function refuseUnsafeDirectory(path: string, stats: Stats): void {
  refuseIf(!stats.isDirectory(), path, `is ${kindOf(stats)}, not a directory; remove it`);
  const risk = 'who could replace the files in it';
  const isNew = 'which it creates for this user only';
  const remedy = `give it to the user that the process runs as, or give fileState a new directory, ${isNew}`;
  refuseIf(isOfAnotherUser(stats), path, `belongs to another user (uid ${stats.uid}), ${risk}; ${remedy}`);
  refuseSharedWriting(
    path,
    stats,
    `${risk}; chmod 700 it, or give fileState a new directory below it, ${isNew}`,
  );
}

/** Windows has another kind of permissions. */
function refuseSharedWriting(path: string, { mode }: Stats, why: string): void {
  const isShared = process.geteuid !== undefined && (mode & 0o022) !== 0;
  refuseIf(isShared, path, `can be written to by other users (mode ${(mode & 0o7777).toString(8)}), ${why}`);
}

/** Refuses a link that another user has put into a directory such as /tmp: it can lead anywhere. */
function refuseForeignLink(path: string, stats: Stats): void {
  const isForeign = stats.isSymbolicLink() && stats.uid !== 0 && isOfAnotherUser(stats);
  const remedy = 'remove it, or give fileState the directory itself';
  refuseIf(isForeign, path, `is a symbolic link of another user (uid ${stats.uid}); ${remedy}`);
}

/** Always false on Windows, where users have no number. */
const isOfAnotherUser = ({ uid }: Stats) => process.geteuid !== undefined && uid !== process.geteuid();

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFile()) return 'a file';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isSocket() ? 'a socket' : 'a device';
}

function refuseIf(isUnusable: boolean, path: string, why: string): void {
  if (isUnusable) throw new StateError(`fileState: ${path} ${why}`);
}
