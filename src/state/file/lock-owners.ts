import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StateError } from '../../errors.js';
import { codeOf } from './failure.js';
import { type Holder, lifeOf, readHolder, thisProcess } from './holder.js';
import { readOwnFileSync } from './safety.js';

/** A process of which nothing can be known counts as gone when it has written nothing for this long. */
export const SILENCE_MS = 60_000;

export const SIGN_NAME = 'sign-of-life';

/** A lock is shorter; of anything else no more is read. */
export const MAX_LOCK_BYTES = 4096;

/** Its other name is the claim it was made from. */
export const MADE_BY_LINK = { mayHaveSecondName: true } as const;

const LOCK_NAME = /^process-(\d{1,12})\.lock$/;

export interface FoundLock {
  readonly path: string;
  readonly number: number;
  readonly holder: Holder | undefined;
  readonly isLive: boolean;
}

/** The locks in a directory, and whether their processes live. `now` is the file system's. */
export function locksIn(directory: string, now: number): FoundLock[] {
  const found: FoundLock[] = [];
  for (const name of readdirSync(directory)) {
    const number = LOCK_NAME.exec(name)?.[1];
    if (number === undefined) continue;
    const path = join(directory, name);
    try {
      const holder = readHolder(readOwnFileSync(path, MAX_LOCK_BYTES, MADE_BY_LINK));
      const life = lifeOf(holder);
      const isLive =
        life === 'alive' || (life === 'unknown' && now - lastSignOf(directory, path, now) < SILENCE_MS);
      found.push({ path, number: Number(number), holder, isLive });
    } catch (error) {
      // Given back while we looked.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
  return found;
}

/** When the holder last wrote anything; what a clock that was put back since has dated far ahead says nothing. */
function lastSignOf(directory: string, lock: string, now: number): number {
  const paths = [lock, ...[SIGN_NAME, 'journal', 'values'].map((name) => join(directory, name))];
  const times = paths.map((path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(0, ...times.filter((time) => time < now + SILENCE_MS));
}

/** @throws {StateError} that names the live process. */
export function refuseIfLive(directory: string, found: readonly FoundLock[]): void {
  const live = found.find(({ isLive }) => isLive);
  if (live) throw new StateError(`fileState: ${directory} is in use by ${nameOf(live.holder)}`);
}

function nameOf(holder: Holder | undefined): string {
  const remedy = 'run one process over it, or share a redisState';
  const self = thisProcess();
  if (!holder) {
    return `a process that cannot be told; if there is none, try again after ${SILENCE_MS / 1000} s, otherwise ${remedy}`;
  }
  const { pid, host } = holder;
  if (pid === self.pid && lifeOf(holder, self) === 'unknown') {
    return `this process: by a fileState that is being closed (await its close()), another thread, or another copy of this package; one that is gone is in the way for ${SILENCE_MS / 1000} s`;
  }
  if (lifeOf(holder, self) === 'unknown') {
    return `process ${pid} on ${host}, which cannot be looked at from here; if it is gone, try again after ${SILENCE_MS / 1000} s, otherwise ${remedy}`;
  }
  return `process ${pid}; ${remedy}`;
}
