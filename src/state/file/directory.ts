import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StateError } from '../../errors.js';
import { codeOf } from './failure.js';
import { refuseUnsafeDirectory } from './safety.js';

/**
 * Makes the directory if it does not exist, and refuses one that other users
 * could change. The directories above it are the application's affair.
 *
 * @returns its path without links.
 * @throws {StateError} it is not safe; the message has the remedy.
 */
export function prepareDirectory(given: string): string {
  const path = resolve(given);
  makeDirectory(path);
  refuseForeignLink(path);
  const real = realpathSync(path);
  refuseUnsafeDirectory(real, lstatSync(real));
  return real;
}

/**
 * Makes a directory of this user's alone, and those above it, where there is none.
 *
 * By its own steps: Node's `recursive` goes round for ever where a file system
 * makes no directories (/proc).
 */
function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  makeParent(path);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!isDirectory(path)) throw error;
  }
}

function makeParent(path: string): void {
  const parent = dirname(path);
  if (parent === path) return;
  try {
    makeDirectory(parent);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw Object.assign(new Error(`ENOTDIR: ${parent} is a file`, { cause: error }), { code: 'ENOTDIR' });
  }
}

/** In a directory for everybody, such as /tmp, any user can leave a link that leads somewhere else. */
function refuseForeignLink(path: string): void {
  const { geteuid } = process;
  const stats = lstatSync(path);
  if (!geteuid || !stats.isSymbolicLink() || [0, geteuid()].includes(stats.uid)) return;
  throw new StateError(
    `fileState: ${path} is a symbolic link of another user (uid ${stats.uid}); remove it, or give fileState the directory itself`,
  );
}

/** Below a file Node 20 throws ENOTDIR, and later versions answer undefined. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
