import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../../errors.js';
import { ignoreMissing } from './errors.js';
import { readOwnFileSync } from './own-file.js';
import {
  hasSamePids,
  livenessOf,
  type ProcessIdentity,
  parseIdentity,
  thisProcess,
} from './process-identity.js';

/** A process of unknown liveness counts as dead if it has written nothing for this long. */
export const SILENCE_MS = 60_000;

/** The file that a lock's owner writes regularly. */
export const HEARTBEAT_NAME = 'sign-of-life';

/** A lock file is shorter; no more of it is read. */
export const MAX_LOCK_BYTES = 4096;

/** A lock file is a hard link to the claim it was made from, so it has two names for a moment. */
export const MADE_BY_LINK = { mayHaveSecondName: true } as const;

const LOCK_NAME = /^process-(\d{1,12})\.lock$/;

export interface ExistingLock {
  readonly path: string;
  readonly number: number;
  readonly owner: ProcessIdentity | undefined;
  readonly isLive: boolean;
}

/**
 * The locks in a directory, and whether their processes live.
 *
 * @param now - the file system's clock, in epoch ms.
 */
export function locksIn(directory: string, now: number): ExistingLock[] {
  return readdirSync(directory).flatMap((name) => {
    const number = LOCK_NAME.exec(name)?.[1];
    if (number === undefined) return [];
    try {
      return [readLock(directory, name, Number(number), now)];
    } catch (error) {
      // Its owner has released it in the meantime.
      ignoreMissing(error);
      return [];
    }
  });
}

/** @throws {StateError} one of the locks is live; the message names its process. */
export function refuseIfLive(directory: string, locks: readonly ExistingLock[]): void {
  const live = locks.find(({ isLive }) => isLive);
  if (live) throw new StateError(`fileState: ${directory} is in use by ${describe(live.owner)}`);
}

function readLock(directory: string, name: string, number: number, now: number): ExistingLock {
  const path = join(directory, name);
  const owner = parseIdentity(readOwnFileSync(path, MAX_LOCK_BYTES, MADE_BY_LINK));
  const liveness = livenessOf(owner);
  const isRecent = () => now - lastWriteIn(directory, path, now) < SILENCE_MS;
  return { path, number, owner, isLive: liveness === 'alive' || (liveness === 'unknown' && isRecent()) };
}

/** When the owner last wrote anything. Instants far ahead are ignored: they are from before the clock was set back. */
function lastWriteIn(directory: string, lock: string, now: number): number {
  const paths = [lock, ...[HEARTBEAT_NAME, 'journal', 'values'].map((name) => join(directory, name))];
  const times = paths.map((path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(0, ...times.filter((time) => time < now + SILENCE_MS));
}

function describe(owner: ProcessIdentity | undefined): string {
  const remedy = 'use one process per directory, or redisState for several';
  const wait = `try again after ${SILENCE_MS / 1000} s`;
  if (!owner) return `a process that cannot be identified; if it has ended, ${wait}, otherwise ${remedy}`;
  const { pid, host } = owner;
  const self = thisProcess();
  if (livenessOf(owner, self) !== 'unknown') return `process ${pid}; ${remedy}`;
  if (pid === self.pid && hasSamePids(owner, self)) {
    return `this process: by a fileState that is being closed (await its close()), by another thread, or by another copy of this package; if its user has ended, ${wait}`;
  }
  return `process ${pid} on ${host}, which cannot be inspected from here; if it has ended, ${wait}, otherwise ${remedy}`;
}
