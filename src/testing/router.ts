import { ENDPOINT_NAMES, type EndpointName } from '../hub/endpoints.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import type { ResolvedProfile } from '../hub/profile.js';
import type { JournalEntry } from './journal.js';

/** Where a request goes. */
export interface Route {
  readonly endpoint: EndpointName;
  /** The part of the path before that of the endpoint. */
  readonly prefix: string;
  /** The decoded parameters of the path, such as `orderId`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface MockRequest extends Route {
  readonly method: string;
  readonly query: URLSearchParams;
  /** Where the client reaches the hub: origin and base path. Over HTTP that is not `baseUrl`. */
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
  /** The mistakes in the body of a command, by the standard. */
  readonly mistakesInBody: string | undefined;
}

interface RouterOptions {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly profile: Pick<ResolvedProfile, 'tokenUrl'>;
}

export function routerOf({ baseUrl, basePath, profile }: RouterOptions, endpoints: EndpointTable) {
  const { tokenUrl } = profile;
  /** The path of a token endpoint that is elsewhere. */
  const tokenPath = tokenUrl === undefined ? undefined : new URL(tokenUrl).pathname;
  // Through MSW and `fetch` the path includes the path of `baseUrl`. Over HTTP the server has its own address.
  const prefixes = [new URL(baseUrl).pathname.replace(/\/$/, '') + basePath, basePath].map(segmentsOf);
  const patterns = ENDPOINT_NAMES.filter((name) => name !== 'token' || tokenUrl === undefined).map(
    (endpoint) => ({ endpoint, ...endpoints[endpoint], segments: segmentsOf(endpoints[endpoint].path) }),
  );

  /** Finds the endpoint of a request; undefined: the host has no such endpoint. */
  return (method: string, pathname: string): Route | undefined => {
    if (method === 'POST' && pathname === tokenPath) return { endpoint: 'token', parameters: {}, prefix: '' };
    const given = segmentsOf(pathname);
    const base = prefixes.find((each) => each.every((segment, at) => segment === given[at]));
    if (!base) return undefined;
    for (const { endpoint, method: expected, segments } of patterns) {
      const isMethod = expected === method || (endpoint === 'orderStatus' && method === 'PATCH');
      const parameters = isMethod ? parametersOf(segments, given.slice(base.length)) : undefined;
      const prefix = pathname.split('/', base.length + 1).join('/');
      if (parameters) return { endpoint, parameters, prefix };
    }
    return undefined;
  };
}

/** The segments of a path, such as `['v1', 'merchant']`. They are decoded, because `%3A` and `:` are the same in a path. */
const segmentsOf = (path: string) => path.split('/').slice(1).map(decodedSegment);

/** Undefined: its percent-encoding is invalid, such as `%ZZ`. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The order and the name of a command: the path of its request ends with both. Empty: it is another request. */
export function commandOf({ endpoint, path }: JournalEntry) {
  const [name, orderId] = (path.split('?', 1)[0] as string).split('/').reverse().map(decodedSegment);
  return endpoint === 'orderStatus' ? { name, orderId } : {};
}

/** Undefined: the segments do not match. */
function parametersOf(
  expected: readonly (string | undefined)[],
  given: readonly (string | undefined)[],
): Record<string, string> | undefined {
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment = ''] of expected.entries()) {
    const value = given[index];
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (!value || (name === undefined && value !== segment)) return undefined;
    if (name !== undefined) parameters[name] = value;
  }
  return parameters;
}

/** In lower case and without parameters, such as the `charset` (RFC 9110, 8.3.1). */
export const mediaTypeOf = (headers: Headers) =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
