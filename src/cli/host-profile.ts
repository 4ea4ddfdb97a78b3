import { ConfigurationError } from '../errors/index.js';
import { NAMED_HOSTS } from '../hub/hosts/index.js';
import type { NamedHost } from '../hub/hosts/named-host.js';

/** For help and errors. */
export const KNOWN_HOSTS = NAMED_HOSTS.map(({ name }) => name).join(', ');

/** @throws {ConfigurationError} there is no such host; the message lists the known ones. */
export function hostNamed(given: string): NamedHost {
  const host = NAMED_HOSTS.find(({ name }) => name === given);
  if (host) return host;
  throw new ConfigurationError(
    '--host-profile',
    `'${given}' is not a known host; choose one of ${KNOWN_HOSTS}`,
  );
}
