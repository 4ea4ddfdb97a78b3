import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError } from '../errors/index.js';
import { readFile } from './files.js';

const MAX_BYTES = 1024 * 1024;

/**
 * Reads the variables of the process and of an `.env` file. The process's variables
 * take precedence. An empty variable counts as unset. `process.env` is not changed.
 *
 * @param path - the file; default: `.env`, if it exists.
 */
export function readEnvironment(path: string | undefined) {
  const file = resolve(path ?? '.env');
  // A directory named .env is probably a Python environment.
  const exists = path !== undefined || statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
  const sources = [
    { file: undefined, variables: process.env },
    ...(exists ? [{ file, variables: parseEnv(readFile('--env', file, MAX_BYTES)) }] : []),
  ];
  return {
    /** The value, and the file that sets it; undefined for the environment. */
    get(name: string) {
      const source = sources.find(({ variables }) => variables[name]);
      return source && { value: source.variables[name] as string, file: source.file };
    },

    /** A key: the variable `name`, or the content of the file that `<name>_FILE` names. */
    key(name: string): string | undefined {
      for (const { file: from, variables } of sources) {
        const value = variables[name];
        const keyFile = variables[`${name}_FILE`];
        if (value && keyFile) {
          const where = from === undefined ? '' : ` in ${from}`;
          const problem = `${name} and ${name}_FILE are both set${where}; unset one of them`;
          throw new ConfigurationError(name, problem);
        }
        if (value) return value;
        if (keyFile) return readKeyFile(`${name}_FILE`, keyFile);
      }
      return undefined;
    },
  };
}

const MAX_KEY_FILE_BYTES = 64 * 1024;

/**
 * Reads a key from a file and trims white space around it. No error quotes it.
 *
 * @param name - the option or variable that names the file, for the error.
 */
export function readKeyFile(name: string, path: string): string {
  const key = readFile(name, path, MAX_KEY_FILE_BYTES).trim();
  if (key === '') throw new ConfigurationError(name, `${path} is empty; write the key into it`);
  if (/[\r\n]/.test(key)) {
    throw new ConfigurationError(name, `${path} has more than one line; write only the key into it`);
  }
  return key;
}

/** Parses `--header`: `name: value`, or `@file` with one per line. No error quotes a header: most are keys. */
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
