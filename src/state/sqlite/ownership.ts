import type { Stats } from 'node:fs';
import { StateError } from '../../errors/index.js';

/**
 * Refuses what is not a file that only this user can change.
 *
 * @throws {StateError} that says what to do.
 */
export function refuseForeignFile(path: string, stats: Stats): void {
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
export function refuseUnsafeDirectory(path: string, stats: Stats): void {
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
export function refuseForeignLink(path: string, stats: Stats): void {
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
