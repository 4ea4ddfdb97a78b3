import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './file-failure.js';

/**
 * Makes a directory of this user's alone, and those above it, where there is none.
 *
 * By its own steps: Node's `recursive` goes round for ever where a file system
 * makes no directories (/proc).
 *
 * @param path - absolute.
 */
export function makeDirectory(path: string): void {
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!isDirectory(path)) throw error;
  }
}

/** Not by `throwIfNoEntry`: below a file it throws on Node 20 and finds nothing from 22 on. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
