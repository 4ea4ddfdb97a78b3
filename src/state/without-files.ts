import { ConfigurationError } from '../errors/index.js';

/**
 * There is no persistent file system on this platform, so there is no
 * `fileState`. Use `redisState` or `postgresState`, or implement `State` over the platform's storage.
 *
 * @throws {ConfigurationError} always.
 */
export function fileState(_path: string): never {
  throw new ConfigurationError(
    'fileState',
    'needs a persistent file system, which this platform does not have; use redisState or postgresState, or implement State ' +
      "over the platform's storage (docs/runtimes.md)",
  );
}
