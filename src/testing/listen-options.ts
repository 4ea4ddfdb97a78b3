import { isIPv6 } from 'node:net';
import { ConfigurationError } from '../errors/index.js';
import { boolean, listOf, number, string } from '../options/checks.js';
import { type GivenOptions, type OptionValues, option, resolveTable } from '../options/table.js';
import type { Rehearsal } from './console/rehearsal.js';
import { hostNameOf } from './loopback.js';

/** Returns the host as a browser writes it: in lower case, an IPv6 address in brackets. */
export function allowedHost(name: string, value: unknown): string {
  const given = typeof value === 'string' && isIPv6(value) ? `[${value}]` : value;
  const host = typeof given === 'string' && !/:\d+$/.test(given) ? hostNameOf(given) : undefined;
  if (host !== undefined) return host;
  throw new ConfigurationError(
    name,
    "must be the name or the address of a host without a port, such as 'mock'",
  );
}

/** Returns the origin as a browser sends it. */
export function allowedOrigin(name: string, value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  // `null` and `*` would let pages of any site in.
  throw new ConfigurationError(
    name,
    "must be the origin of a page: scheme, host and port, such as 'http://localhost:5173'",
  );
}

const OPTIONS = {
  /** The port to listen on. Default 0: a free one. */
  port: option(0, number({ min: 0, max: 65_535, integer: true, unit: 'a port' })),
  /**
   * The address to listen on. `'0.0.0.0'`: every address of this machine, so that containers and other machines can
   * reach the hub; name in `allowHost` how they call it. Default `'127.0.0.1'`.
   */
  host: option('127.0.0.1', string("an address of this machine, such as '0.0.0.0'")),
  /**
   * The hosts besides loopback and `host` that a request may name in its `Host` header, without a port, such as
   * `['mock', 'host.docker.internal']`. Default: none.
   */
  allowHost: option<readonly string[]>([], listOf(allowedHost)),
  /**
   * The origins whose pages may send requests, such as `['http://localhost:5173']`; they get the CORS headers that a
   * browser asks for. Default: none.
   */
  allowOrigin: option<readonly string[]>([], listOf(allowedOrigin)),
  /**
   * Serve the control API and the console under `/_mock/`, for test suites in any language. They have no password.
   * Default: if only this machine reaches `host`.
   */
  control: option<boolean | undefined>(undefined, boolean()),
  /**
   * What the console shows as its section for a rehearsal.
   *
   * @internal
   */
  rehearsal: option<Rehearsal | undefined>(undefined, (_name, value) => value as Rehearsal | undefined),
};

/**
 * Options of `mock.listen`; all are optional.
 *
 * @example
 * ```ts
 * await mock.listen({ port: 4010, host: '0.0.0.0', allowHost: ['mock'], allowOrigin: ['http://localhost:5173'] });
 * ```
 */
export interface ListenOptions extends GivenOptions<typeof OPTIONS> {}

export type ResolvedListenOptions = OptionValues<typeof OPTIONS>;

/** @throws {ConfigurationError} an option is unknown or invalid. */
export function resolveListenOptions(given: ListenOptions = {}): ResolvedListenOptions {
  return resolveTable<ResolvedListenOptions>(OPTIONS, given);
}
