import type { Command } from 'commander';
import { ConfigurationError } from '../errors/index.js';
import { NAMED_HOSTS } from '../hub/hosts/index.js';
import type { NamedHost } from '../hub/hosts/named-host.js';
import type { HostProfile } from '../hub/profile.js';
import { DEFAULTS } from '../options/client-options.js';
import { basePath as checkBasePath } from '../options/url.js';
import { readProfile } from './profile-file.js';

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

/** @throws {ConfigurationError} an option names no host, or no profile, or is no base path. */
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
