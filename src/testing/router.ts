import { ENDPOINT_NAMES, type EndpointName } from '../endpoints.js';
import type { EndpointTable } from '../host-endpoints.js';
import type { ResolvedProfile } from '../host-profile.js';

export interface Route {
  readonly endpoint: EndpointName;
  /** The decoded parameters of the path, such as `orderId`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A request to an endpoint, with its body read. */
export interface MockRequest extends Route {
  readonly method: string;
  readonly query: URLSearchParams;
  /** Where the client reaches the hub: origin and base path. Over HTTP that is not `baseUrl`. */
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
}

interface Pattern {
  readonly endpoint: EndpointName;
  readonly method: string;
  readonly segments: readonly string[];
}

/** What a request must look like for each endpoint. */
export const patternsOf = (endpoints: EndpointTable): readonly Pattern[] =>
  ENDPOINT_NAMES.map((endpoint) => ({
    endpoint,
    method: endpoints[endpoint].method,
    segments: segmentsOf(endpoints[endpoint].path).map((segment) => decoded(segment) ?? segment),
  }));

export interface RouterOptions {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly profile: Pick<ResolvedProfile, 'tokenUrl'>;
}

/** Where a request goes, and the part of its path before that of the endpoint. */
export interface FoundRoute extends Route {
  readonly prefix: string;
}

/** Finds the endpoints of one host. */
export class Router {
  readonly #prefixes: readonly string[];
  readonly #patterns: readonly Pattern[];
  /** The path of a token endpoint that is elsewhere. */
  readonly #tokenPath: string | undefined;

  constructor(options: RouterOptions, endpoints: EndpointTable) {
    const { tokenUrl } = options.profile;
    this.#prefixes = prefixesOf(options);
    this.#patterns = patternsOf(endpoints).filter(
      ({ endpoint }) => endpoint !== 'token' || tokenUrl === undefined,
    );
    this.#tokenPath = tokenUrl === undefined ? undefined : new URL(tokenUrl).pathname;
  }

  /** Undefined: the host has no such endpoint. */
  find(method: string, pathname: string): FoundRoute | undefined {
    if (method === 'POST' && pathname === this.#tokenPath)
      return { endpoint: 'token', parameters: {}, prefix: '' };
    const path = belowBasePath(pathname, this.#prefixes);
    if (path === undefined) return undefined;
    const route = matchRoute(this.#patterns, method, path);
    return route && { ...route, prefix: pathname.slice(0, -path.length) };
  }
}

/** The segments of a path as they were sent, such as `['v1', 'merchant']`. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1);
}

/** `%3A` and `:` are the same in a path. Undefined: invalid percent-encoding, such as `%ZZ`. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Finds the endpoint of a method and a path below the base path; undefined for any other path. */
export function matchRoute(patterns: readonly Pattern[], method: string, path: string): Route | undefined {
  const given = segmentsOf(path).map(decoded);
  for (const route of patterns) {
    const isMethod = route.method === method || (route.endpoint === 'orderStatus' && method === 'PATCH');
    if (!isMethod || route.segments.length !== given.length) continue;
    const parameters = parametersOf(route.segments, given);
    if (parameters) return { endpoint: route.endpoint, parameters };
  }
  return undefined;
}

/** Undefined: the segments do not match. */
function parametersOf(
  expected: readonly string[],
  given: readonly (string | undefined)[],
): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = given[index];
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (!value || (name === undefined && value !== segment)) return undefined;
    if (name !== undefined) parameters[name] = value;
  }
  return parameters;
}

/**
 * The prefixes that a path may have.
 *
 * Through MSW and `fetch` the path includes the path of `baseUrl`. Over HTTP it
 * does not, because the server has its own address.
 */
export function prefixesOf({
  baseUrl,
  basePath,
}: {
  readonly baseUrl: string;
  readonly basePath: string;
}): readonly string[] {
  return [new URL(baseUrl).pathname.replace(/\/$/, '') + basePath, basePath];
}

/** Removes the prefix from a path; undefined if the path has another one. */
export function belowBasePath(pathname: string, prefixes: readonly string[]): string | undefined {
  const segments = segmentsOf(pathname);
  for (const prefix of prefixes) {
    const expected = segmentsOf(prefix).map(decoded);
    const isBelow =
      segments.length > expected.length &&
      expected.every((segment, index) => decoded(segments[index] as string) === segment);
    if (isBelow) return `/${segments.slice(expected.length).join('/')}`;
  }
  return undefined;
}
