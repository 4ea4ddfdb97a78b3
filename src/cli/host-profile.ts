import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { ConfigurationError } from '../errors/index.js';
import { NAMED_HOSTS } from '../hub/hosts/index.js';
import type { NamedHost } from '../hub/hosts/named-host.js';
import type { HostProfile } from '../hub/profile.js';
import { DEFAULTS } from '../options/client-options.js';
import { profileOption } from '../options/profile.js';
import { basePath as checkBasePath } from '../options/url.js';
import { readJsonFile } from './files.js';

const KNOWN_HOSTS = NAMED_HOSTS.map(({ name }) => name).join(', ');

/** @throws {ConfigurationError} there is no such host; the message lists the known ones. */
export function hostNamed(given: string): NamedHost {
  const host = NAMED_HOSTS.find(({ name }) => name === given);
  if (host) return host;
  throw new ConfigurationError(
    '--host-profile',
    `'${given}' is not a known host; choose one of ${KNOWN_HOSTS}`,
  );
}

/** What a command is told of the host that it imitates or records. */
export interface HostOptions {
  readonly basePath?: string;
  readonly profile?: string;
  readonly hostProfile?: string;
}

export const addHostOptions = (command: Command): Command =>
  command
    .option(
      '--base-path <path>',
      "prefix of every path; '' for none (default: '/opendelivery', or that of the profile)",
    )
    .option(
      '--profile <file>',
      'profile of the host: JSON, or a module (.mjs, .js, .cjs) with a default export',
    )
    .option(
      '--host-profile <name>',
      `a named host: ${KNOWN_HOSTS}; fields of --profile replace those of the host`,
    );

/** @throws {ConfigurationError} the host is unknown, or the profile or the base path is invalid. */
export async function hostOf({ basePath, profile, hostProfile }: HostOptions): Promise<{
  readonly profile: HostProfile;
  readonly basePath: string;
}> {
  const named = hostProfile === undefined ? {} : hostNamed(hostProfile).profile;
  const all = { ...named, ...(profile !== undefined && (await readProfile(profile))) };
  return {
    profile: all,
    basePath: checkBasePath('--base-path', basePath ?? all.basePath ?? DEFAULTS.basePath),
  };
}

const PROFILE = '--profile';

/**
 * Reads the file of `--profile`: JSON; or, for a profile with a signer, a module (`.mjs`, `.js`, `.cjs`) whose
 * default export is the profile.
 */
export async function readProfile(path: string): Promise<HostProfile> {
  const isModule = /\.[cm]?js$/.test(path);
  const profile = isModule ? await importDefault(path) : readJsonFile(PROFILE, path);
  try {
    profileOption.check('profile', profile);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(PROFILE, `${path}: ${error.message.replace(/^profile[.:] ?/, '')}`);
  }
  return profile as HostProfile;
}

async function importDefault(path: string): Promise<unknown> {
  const url = pathToFileURL(resolve(path)).href;
  const module: { readonly default?: unknown } = await import(url).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(PROFILE, `${path} cannot be loaded: ${reason}`);
  });
  if (module.default !== undefined) return module.default;
  throw new ConfigurationError(PROFILE, `${path} has no default export; write \`export default { … }\``);
}
