import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, isWithoutHardLinks } from './errors.js';
import { locksIn, MAX_LOCK_BYTES, refuseIfLive, SILENCE_MS } from './existing-locks.js';
import { readOwnFileSync } from './own-file.js';
import { thisProcess } from './process-identity.js';

type Link = (existing: string, name: string) => void;

const CLAIM_NAME = /^process-[\w-]+\.claim$/;

/**
 * Makes this process the owner of a directory.
 *
 * A lock is a file `process-<number>.lock` that names its process. It appears
 * complete, as a hard link to a claim, and only one process can make that link.
 * The lock of a dead process is not removed and made again, which two processes
 * could do at once: the new lock has the next number, which only one process
 * gets. Then all locks are read again. If two processes own locks at the same
 * time, at least one of them sees the other's and withdraws.
 *
 * @param link - makes a hard link; tests pass another one.
 * @returns the path of the lock; undefined if another process was faster and
 * the caller has to try again.
 * @throws {StateError} a live process owns the directory.
 */
export function claimDirectory(directory: string, link: Link = linkSync): string | undefined {
  const claim = join(directory, `process-${randomUUID()}.claim`);
  writeFileSync(claim, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
  try {
    // The file system's own clock, which can differ from ours.
    const now = statSync(claim).mtimeMs;
    const earlier = locksIn(directory, now);
    refuseIfLive(directory, earlier);
    const number = Math.max(0, ...earlier.map((lock) => lock.number)) + 1;
    const path = join(directory, `process-${number}.lock`);
    if (!linkOnce(claim, path, link)) return undefined;
    try {
      const others = locksIn(directory, now).filter((lock) => lock.number !== number);
      refuseIfLive(directory, others);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
    for (const dead of earlier) rmSync(dead.path, { force: true });
    removeOldClaims(directory, now);
    return path;
  } finally {
    rmSync(claim, { force: true });
  }
}

/** Makes a hard link, or a copy where the file system has no links; false if the name exists. */
function linkOnce(from: string, to: string, link: Link): boolean {
  try {
    link(from, to);
    return true;
  } catch (error) {
    // EEXIST: the name is taken. ENOENT: a process that believed us dead has removed our claim.
    if (['EEXIST', 'ENOENT'].includes(codeOf(error))) return false;
    if (!isWithoutHardLinks(error)) throw error;
  }
  try {
    writeFileSync(to, readOwnFileSync(from, MAX_LOCK_BYTES), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Claims of processes that died before they could remove them. */
function removeOldClaims(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    if (!CLAIM_NAME.test(name)) continue;
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && now - found.mtimeMs > SILENCE_MS) rmSync(path, { force: true });
  }
}
