import { ConfigurationError } from '../errors.js';
import { readFile } from './read-file.js';

const MAX_KEY_FILE_BYTES = 64 * 1024;

/**
 * Reads a key from a file and trims white space around it.
 *
 * @param name - the option or variable that names the file, for the error.
 * @throws {ConfigurationError} the file cannot be read, is empty, or has several lines. Never quotes it.
 */
export function readKeyFile(name: string, path: string): string {
  const key = readFile(name, path, MAX_KEY_FILE_BYTES).trim();
  if (key === '') throw new ConfigurationError(name, `${path} is empty; write the key into it`);
  if (/[\r\n]/.test(key)) {
    throw new ConfigurationError(name, `${path} has more than one line; write only the key into it`);
  }
  return key;
}

/**
 * Parses the values of `--header`: `name: value`, or `@file` with one header per line.
 *
 * @throws {ConfigurationError} a header has another form. Never quotes it: most of these values are keys.
 */
export function parseHeaders(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    values.flatMap((value) =>
      value.startsWith('@') ? readHeaderFile(value.slice(1)) : [parseHeader(value)],
    ),
  );
}

function readHeaderFile(path: string): (readonly [string, string])[] {
  return readFile('--header', path, MAX_KEY_FILE_BYTES)
    .split(/\r?\n/)
    .flatMap((line, index) =>
      line.trim() === '' ? [] : [parseHeader(line, `line ${index + 1} of ${path} `)],
    );
}

function parseHeader(text: string, place = ''): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(\S.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new ConfigurationError(
      '--header',
      `${place}must be 'name: value', with a colon after the name; it is not shown because it may contain a key`,
    );
  }
  return [name, value.trimEnd()];
}
