import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigurationError } from '../errors.js';
import { readKeyFile } from './keys.js';
import { readFile } from './read-file.js';

const MAX_BYTES = 1024 * 1024;

interface Source {
  /** The file that sets these variables; undefined for the environment. */
  readonly file: string | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export interface Variable {
  readonly value: string;
  /** The file that sets it; undefined for the environment. */
  readonly file: string | undefined;
}

/**
 * The variables of the process and of an `.env` file. The process's variables
 * take precedence. An empty variable counts as unset. `process.env` is not changed.
 */
export class Environment {
  readonly #sources: readonly Source[];

  private constructor(sources: readonly Source[]) {
    this.#sources = sources;
  }

  /**
   * @param path - the file; default: `.env`, if it exists.
   * @throws {ConfigurationError} the file cannot be read.
   */
  static read(path: string | undefined): Environment {
    const own: Source = { file: undefined, variables: process.env };
    const file = resolve(path ?? '.env');
    // A directory named .env is probably a Python environment.
    const exists = path !== undefined || statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
    if (!exists) return new Environment([own]);
    return new Environment([own, { file, variables: parseEnv(readFile('--env', file, MAX_BYTES)) }]);
  }

  get(name: string): Variable | undefined {
    for (const { file, variables } of this.#sources) {
      const value = variables[name];
      if (value) return { value, file };
    }
    return undefined;
  }

  /**
   * A key: the variable `name`, or the content of the file that `<name>_FILE` names.
   *
   * @throws {ConfigurationError} one source sets both, or the file cannot be used.
   */
  key(name: string): string | undefined {
    for (const { file, variables } of this.#sources) {
      const value = variables[name];
      const path = variables[`${name}_FILE`];
      if (value && path) {
        const where = file === undefined ? '' : ` in ${file}`;
        throw new ConfigurationError(
          name,
          `${name} and ${name}_FILE are both set${where}; unset one of them`,
        );
      }
      if (value) return value;
      if (path) return readKeyFile(`${name}_FILE`, path);
    }
    return undefined;
  }
}
