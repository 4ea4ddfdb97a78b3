import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../endpoints.js';

export interface Route {
  readonly endpoint: EndpointName;
  /** The decoded parameters of the path, such as `orderId`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A request to an endpoint, with its body read. */
export interface MockRequest extends Route {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

const PATTERNS = ENDPOINT_NAMES.map((name) => {
  const source = ENDPOINTS[name].path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { name, pattern: new RegExp(`^${source}$`) };
});

/** Finds the endpoint of a method and a path below the base path; undefined if the spec has none. */
export function matchRoute(method: string, path: string): Route | undefined {
  for (const { name, pattern } of PATTERNS) {
    const isMethod = ENDPOINTS[name].method === method || (name === 'orderStatus' && method === 'PATCH');
    const match = isMethod ? pattern.exec(path) : null;
    if (!match) continue;
    try {
      const parameters = Object.entries(match.groups ?? {}).map(
        ([key, value]) => [key, decodeURIComponent(value)] as const,
      );
      return { endpoint: name, parameters: Object.fromEntries(parameters) };
    } catch {
      return undefined; // invalid percent-encoding, such as %ZZ
    }
  }
  return undefined;
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
  const prefix = prefixes.find((each) => pathname.startsWith(`${each}/`));
  return prefix === undefined ? undefined : pathname.slice(prefix.length);
}
