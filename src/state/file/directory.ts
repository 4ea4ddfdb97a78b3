import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from './errors.js';
import { refuseForeignLink, refuseUnsafeDirectory } from './ownership.js';

/**
 * Creates the directory if it does not exist, and refuses one that other users
 * could change. The permissions of its parents are not checked.
 *
 * @returns its path without links.
 * @throws {StateError} it is not safe; the message says what to do.
 */
export function prepareDirectory(given: string): string {
  const path = resolve(given);
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
  makeParent(path);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
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

/** For a path below a file Node 20 throws ENOTDIR, and later versions return undefined. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
