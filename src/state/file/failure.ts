import { StateError } from '../../errors.js';

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk; free some',
  EDQUOT: 'the disk quota of this user is used up; free some space',
  EROFS: 'the file system is read-only; give fileState another directory',
  EACCES: 'this user may not; give the directory to the user the process runs as',
  EPERM: 'this user may not; give the directory to the user the process runs as',
  ENOTDIR: 'a part of that path is a file; give fileState another directory',
  EEXIST: 'there is a file of that name; give fileState another directory',
  EMFILE: 'this process has too many files open',
};

/** What the file system refused, in words. */
export function fileFailure(doing: string, directory: string, cause: unknown): StateError {
  if (cause instanceof StateError) return cause;
  const code = codeOf(cause);
  const remedy = REMEDIES[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new StateError(`fileState: ${doing} ${directory} failed: ${remedy}`, { cause });
}

/** `ENOENT` and the like; empty where there is none. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}

/**
 * Reports what was survived. A state is made before any client and its logger,
 * so this is a warning of the process: on stderr, and for `process.on('warning')`.
 */
export function warnOfState(message: string): void {
  process.emitWarning(message, { type: 'OpenDeliveryWarning', code: 'OPENDELIVERY_STATE' });
}
