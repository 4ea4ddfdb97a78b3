import { constants } from 'node:fs';
import { copyFile, link, lstat, rm } from 'node:fs/promises';
import { codeOf, warnOfState } from './failure.js';

/** What a file system that has no hard links answers. */
const WITHOUT_LINKS: readonly string[] = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'];

/** As much of `version checksum {…` as there is. */
const BEGINNING = /^1(?: (?:[0-9a-f]{0,8}|[0-9a-f]{8} (?:\{.*)?))?$/s;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them, so they are a sign of damage.
const CONTROL = /[\0-\x1f]/;

/**
 * Whether a line that is not a record is the beginning of one: the process died
 * while it wrote it, or the disk was full. Nobody was promised that record, so
 * it is not a damage.
 */
export function isBrokenOff(line: string): boolean {
  if (!BEGINNING.test(line) || CONTROL.test(line)) return false;
  let depth = 0;
  let isInString = false;
  for (let index = line.indexOf('{'); index !== -1 && index < line.length; index += 1) {
    const char = line[index];
    if (isInString && char === '\\') index += 1;
    else if (char === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    // A whole record, with something wrong in it or behind it.
    if (depth === 0) return false;
  }
  return true;
}

/**
 * Gives a damaged file a second name, `<path>.damaged`, before another is put in
 * its place: at once and without space on the disk, however large it is.
 *
 * @returns why that failed; undefined if it did not.
 */
export async function keepAside(path: string): Promise<string | undefined> {
  const aside = `${path}.damaged`;
  try {
    await rm(aside, { force: true });
    await link(path, aside).catch(async (error: unknown) => {
      if (!WITHOUT_LINKS.includes(codeOf(error))) throw error;
      await copyFile(path, aside, constants.COPYFILE_EXCL);
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Takes the second name away again from a file that could not be replaced: one
 * that is in use must have one name.
 *
 * @returns whether there was one.
 */
export async function dropAside(path: string): Promise<boolean> {
  const aside = `${path}.damaged`;
  const [one, other] = await Promise.all(
    [path, aside].map((each) => lstat(each, { bigint: true }).catch(() => undefined)),
  );
  if (!one || one.ino !== other?.ino || one.dev !== other.dev) return false;
  await rm(aside, { force: true });
  return true;
}

/** @param failure - why the damaged file was not kept aside. */
export function reportDamage(path: string, lines: number, failure?: string): void {
  const what = lines === 1 ? 'a line' : `${lines} lines`;
  const where = failure
    ? `The damaged file could not be kept as ${path}.damaged: ${failure}`
    : `The damaged file is kept as ${path}.damaged`;
  warnOfState(
    `fileState: ${what} of ${path} cannot be read. Reservations and marks of handled events in it are lost, so events may be handled again and requests refused by the hub. ${where}`,
  );
}
