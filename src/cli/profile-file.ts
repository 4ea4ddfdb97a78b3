import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from '../errors/index.js';
import type { HostProfile } from '../hub/profile.js';
import { profileOption } from '../options/profile.js';
import { readJsonFile } from './read-file.js';

const OPTION = '--profile';

/**
 * Reads the file of `--profile`: JSON; or, for a profile with a signer, a module (`.mjs`, `.js`, `.cjs`) whose
 * default export is the profile.
 */
export async function readProfile(path: string): Promise<HostProfile> {
  const isModule = /\.[cm]?js$/.test(path);
  const profile = isModule ? await importDefault(path) : readJsonFile(OPTION, path);
  try {
    profileOption.check('profile', profile);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(OPTION, `${path}: ${error.message.replace(/^profile[.:] ?/, '')}`);
  }
  return profile as HostProfile;
}

async function importDefault(path: string): Promise<unknown> {
  let module: { readonly default?: unknown };
  try {
    module = (await import(pathToFileURL(resolve(path)).href)) as typeof module;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(OPTION, `${path} cannot be loaded: ${reason}`);
  }
  if (module.default !== undefined) return module.default;
  throw new ConfigurationError(OPTION, `${path} has no default export; write \`export default { … }\``);
}
