import { constants } from 'node:fs';
import { copyFile, link, lstat, rm } from 'node:fs/promises';
import { emitStateWarning, isWithoutHardLinks, messageOf } from './errors.js';
import { isSameFile } from './own-file.js';

const copyOf = (path: string) => `${path}.damaged`;

/**
 * Gives a damaged file a second name, `<path>.damaged`, before it is replaced.
 * A hard link is made at once and needs no space, however large the file is.
 *
 * @returns why that failed; undefined if it succeeded.
 */
export async function keepDamagedFile(path: string): Promise<string | undefined> {
  const copy = copyOf(path);
  try {
    await rm(copy, { force: true });
    await link(path, copy).catch(async (error: unknown) => {
      if (!isWithoutHardLinks(error)) throw error;
      await copyFile(path, copy, constants.COPYFILE_EXCL);
    });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Removes the second name of a file that was not replaced after all: a file in
 * use must have one name.
 *
 * @returns whether it had a second name.
 */
export async function dropSecondName(path: string): Promise<boolean> {
  const [file, copy] = await Promise.all(
    [path, copyOf(path)].map((name) => lstat(name, { bigint: true }).catch(() => undefined)),
  );
  if (!isSameFile(file, copy)) return false;
  await rm(copyOf(path), { force: true });
  return true;
}

/** @param failure - why the damaged file could not be kept. */
export function warnOfDamage(path: string, lines: number, failure?: string): void {
  const what = lines === 1 ? 'a line' : `${lines} lines`;
  const where = failure
    ? `The damaged file could not be kept as ${copyOf(path)}: ${failure}`
    : `The damaged file is kept as ${copyOf(path)}`;
  emitStateWarning(
    `fileState: ${what} of ${path} cannot be read. The reservations and marks of handled events in it are lost: events may be handled again, and the hub may refuse requests with 429. ${where}`,
  );
}
