import { StateError } from '../../errors/index.js';

const NO_PERMISSION = 'this user has no permission; give the file to the user that the process runs as';
const NO_SPACE = 'no space is left on the disk; free some';
const READ_ONLY = 'the file or its file system is read-only; give fileState another path';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: 'the disk quota of this user is used up; free some space',
  EROFS: READ_ONLY,
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  ELOOP: 'it is a symbolic link; give fileState the file itself',
  ENOTDIR: 'a part of that path is a file; give fileState another path',
  EEXIST: 'a part of that path is a file; give fileState another path',
  EMFILE: 'this process has too many open files; close some, or raise its limit (ulimit -n)',
  SQLITE_BUSY: 'another process has locked the file for too long; check which program has it open',
  SQLITE_PROTOCOL: 'another process stands still and has the file locked; let it go on, or end it',
  SQLITE_READONLY: READ_ONLY,
  SQLITE_IOERR: 'the disk did not work; check it',
  SQLITE_CORRUPT:
    'the file is damaged; move it away, and an event that was handled and not yet acknowledged is handled once more',
  SQLITE_FULL: NO_SPACE,
  SQLITE_CANTOPEN: 'the file cannot be opened; check the permissions of its directory',
  SQLITE_NOTADB:
    'the file is not a database, or its beginning is damaged; move it away, or give fileState another path',
};

/** The names of the codes that only `node:sqlite` gives as numbers. */
const NAMES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  26: 'SQLITE_NOTADB',
};

/**
 * An error of the file system or of SQLite as a StateError that says what to do.
 *
 * @param doing - the verb of the message, such as 'opening'.
 */
export function toStateError(doing: string, path: string, cause: unknown): StateError {
  if (cause instanceof StateError) return cause;
  const remedy = REMEDIES[codeOf(cause)] ?? (cause instanceof Error ? cause.message : String(cause));
  return new StateError(`fileState: ${doing} ${path} failed: ${remedy}`, { cause });
}

export const isBusy = (error: unknown): boolean => codeOf(error) === 'SQLITE_BUSY';

/** The code of an error such as `ENOENT` or `SQLITE_BUSY`, without SQLite's extensions; empty for any other error. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code = '', errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (typeof errcode === 'number') return NAMES[errcode & 0xff] ?? `SQLITE_${errcode}`;
  return String(code)
    .replace(/^(SQLITE_[A-Z]+).*/, '$1')
    .replace('SQLITE_LOCKED', 'SQLITE_BUSY');
}
