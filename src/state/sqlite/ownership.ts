import type { Stats } from 'node:fs';
import { StateError } from '../../errors.js';

/**
 * Refuses what is not a file that only this user can change.
 *
 * @throws {StateError} that says what to do.
 */
export function refuseForeignFile(path: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable(path, `is ${kindOf(stats)}, not a file; remove it`);
  if (stats.nlink > 1) {
    throw unusable(
      path,
      'has a second name elsewhere (a hard link), under which it could be changed; remove it',
    );
  }
  if (isOfAnotherUser(stats)) {
    throw unusable(
      path,
      `belongs to another user (uid ${stats.uid}); remove it, or give it to the user that the process runs as`,
    );
  }
  refuseSharedWriting(path, stats, 'who could change it; chmod 600 it');
}

/**
 * Refuses a directory in which another user could put or replace files.
 * Windows has another kind of permissions, which are not checked.
 *
 * @throws {StateError} that says what to do.
 */
export function refuseUnsafeDirectory(path: string, stats: Stats): void {
  if (!stats.isDirectory()) throw unusable(path, `is ${kindOf(stats)}, not a directory; remove it`);
  if (!process.geteuid) return;
  if (isOfAnotherUser(stats)) {
    throw unusable(
      path,
      `belongs to another user (uid ${stats.uid}), who could replace the files in it; give it to the user that the process runs as, or give fileState a new directory, which it creates for this user only`,
    );
  }
  refuseSharedWriting(
    path,
    stats,
    'who could replace the files in it; chmod 700 it, or give fileState a new directory below it, which it creates for this user only',
  );
}

/** Windows has another kind of permissions. */
function refuseSharedWriting(path: string, { mode }: Stats, why: string): void {
  if (!process.geteuid || (mode & 0o022) === 0) return;
  throw unusable(path, `can be written to by other users (mode ${(mode & 0o7777).toString(8)}), ${why}`);
}

/** Refuses a link that another user has put into a directory such as /tmp: it can lead anywhere. */
export function refuseForeignLink(path: string, stats: Stats): void {
  if (!stats.isSymbolicLink() || stats.uid === 0 || !isOfAnotherUser(stats)) return;
  throw unusable(
    path,
    `is a symbolic link of another user (uid ${stats.uid}); remove it, or give fileState the directory itself`,
  );
}

/** Always false on Windows, where users have no number. */
function isOfAnotherUser({ uid }: Stats): boolean {
  return process.geteuid !== undefined && uid !== process.geteuid();
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFile()) return 'a file';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const unusable = (path: string, why: string) => new StateError(`fileState: ${path} ${why}`);
