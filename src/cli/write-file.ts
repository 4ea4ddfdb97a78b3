import { writeFileSync } from 'node:fs';
import { ConfigurationError } from '../errors/index.js';
import { describeFileError } from './read-file.js';

/**
 * Writes a text file.
 *
 * @param option - the option that names the file, for the error.
 * @param flag - `a`: only checks that it can be written, if the text is empty.
 * @throws {ConfigurationError} the file cannot be written.
 */
export function writeFile(option: string, path: string, text: string, flag: 'a' | 'w' = 'w'): void {
  try {
    writeFileSync(path, text, { flag });
  } catch (error) {
    throw new ConfigurationError(option, `${path} cannot be written: ${describeFileError(error)}`);
  }
}
