import { renameSync, writeFileSync } from 'node:fs';
import { ConfigurationError } from '../errors/index.js';
import { describeFileError } from './read-file.js';

/**
 * Writes a text file.
 *
 * @param option - the option that names the file, for the error.
 * @param flag - `a`: only checks that it can be written, if the text is empty.
 */
export function writeFile(option: string, path: string, text: string, flag: 'a' | 'w' = 'w'): void {
  attempt(option, path, () => writeFileSync(path, text, { flag }));
}

/** As `writeFile`; a failure leaves the file as it was. */
export function replaceFile(option: string, path: string, text: string): void {
  attempt(option, path, () => {
    writeFileSync(`${path}.part`, text);
    renameSync(`${path}.part`, path);
  });
}

function attempt(option: string, path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new ConfigurationError(option, `${path} cannot be written: ${describeFileError(error)}`);
  }
}
