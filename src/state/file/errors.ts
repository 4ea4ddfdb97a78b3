import { StateError } from '../../errors.js';

const NO_PERMISSION = 'this user has no permission; give the directory to the user that the process runs as';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk; free some',
  EDQUOT: 'the disk quota of this user is used up; free some space',
  EROFS: 'the file system is read-only; give fileState another directory',
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  ENOTDIR: 'a part of that path is a file; give fileState another directory',
  EEXIST: 'a file with that name exists; give fileState another directory',
  EMFILE: 'this process has too many open files; close some, or raise its limit (ulimit -n)',
};

/** How file systems without hard links refuse to make one. */
const NO_HARD_LINKS: readonly string[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'];

/**
 * An error of the file system as a StateError that says what to do.
 *
 * @param doing - the verb of the message, such as 'writing to'.
 */
export function toStateError(doing: string, directory: string, cause: unknown): StateError {
  if (cause instanceof StateError) return cause;
  const remedy = REMEDIES[codeOf(cause)] ?? messageOf(cause);
  return new StateError(`fileState: ${doing} ${directory} failed: ${remedy}`, { cause });
}

/** The code of a system error, such as `ENOENT`; empty for any other error. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For `catch`: a file that does not exist is undefined; any other error is thrown again. */
export function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

export function isWithoutHardLinks(error: unknown): boolean {
  return NO_HARD_LINKS.includes(codeOf(error));
}

/**
 * Emits a warning of the process, on stderr and for `process.on('warning')`: a
 * state is created before any client and its logger.
 */
export function emitStateWarning(message: string): void {
  process.emitWarning(message, { type: 'OpenDeliveryWarning', code: 'OPENDELIVERY_STATE' });
}
