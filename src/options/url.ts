import { ConfigurationError } from '../errors/index.js';
import { type Check, string } from './checks.js';

const ADDRESS = "an address such as 'https://hub.example'";

/**
 * An http or https address without credentials, query and fragment.
 *
 * @param form - `normalized` by the URL parser and without a slash at the end, or `verbatim`, as it was given.
 */
export function address(form: 'normalized' | 'verbatim'): Check<string> {
  return (name, value) => {
    const given = string(ADDRESS)(name, value);
    if (!URL.canParse(given)) throw new ConfigurationError(name, `must be ${ADDRESS}`);
    const url = new URL(given);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new ConfigurationError(name, 'must be an https address');
    }
    if (url.username || url.password || /[?#]/.test(given)) {
      throw new ConfigurationError(name, 'must not contain credentials, a query or a fragment');
    }
    return form === 'verbatim' ? given : url.href.replace(/\/$/, '');
  };
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** @throws {ConfigurationError} the address is plain http and the host is not this machine. */
export function requireHttps(name: string, address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return;
  throw new ConfigurationError(
    name,
    'must be https, because plain http sends the secrets unencrypted; allowInsecureHttp: true allows it',
  );
}

/** `.` and `..` in every spelling that a URL parser resolves. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

const PATH = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+\/?$/;

/** @throws {ConfigurationError} it is not a path, or not only that. */
export function path(name: string, given: string, example: string): void {
  if (PATH.test(given) && !DOT_SEGMENT.test(given)) return;
  throw new ConfigurationError(
    name,
    `must be a path such as '${example}': it begins with a slash and has no query and no '..'`,
  );
}

/** A path with a slash at the beginning and none at the end; `''` for none. */
export const basePath: Check<string> = (name, value) => {
  if (value === '' || value === '/') return '';
  const given = string("a path such as '/opendelivery', or '' for none")(name, value);
  path(name, given, '/opendelivery');
  return given.replace(/\/$/, '');
};
