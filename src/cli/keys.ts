import { ConfigurationError } from '../errors.js';
import { readFile } from './read-file.js';

const MAX_KEY_FILE_BYTES = 64 * 1024;

/**
 * The key that a file holds, without the white space around it.
 *
 * @throws {ConfigurationError} the file cannot be read, or holds something else; never quotes it.
 */
export function keyIn(name: string, path: string): string {
  const key = readFile(name, path, MAX_KEY_FILE_BYTES).trim();
  if (key === '') throw new ConfigurationError(name, `${path} is empty; write the key into it`);
  if (/[\r\n]/.test(key)) {
    throw new ConfigurationError(name, `${path} has more than one line; write only the key into it`);
  }
  return key;
}

/**
 * Extra headers of the command line: `name: value`, or `@file` with one in each line.
 *
 * @throws {ConfigurationError} one is neither. Never quotes it: most of these values are keys.
 */
export function headersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.flatMap((text) => (text.startsWith('@') ? headersIn(text.slice(1)) : [headerOf(text, '')])),
  );
}

function headersIn(path: string): (readonly [string, string])[] {
  return readFile('--header', path, MAX_KEY_FILE_BYTES)
    .split(/\r?\n/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [headerOf(line, `line ${index + 1} of ${path} `)]));
}

function headerOf(text: string, where: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(\S.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new ConfigurationError(
      '--header',
      `${where}must be 'name: value', with a colon after the name; what was given is not shown, it may be a key`,
    );
  }
  return [name, value.trimEnd()];
}
