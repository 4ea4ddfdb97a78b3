import type { EndpointName } from '../endpoints.js';

/** Where the hub is; see `HubClientOptions`. */
export interface HubAddress {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly tokenUrl: string | undefined;
}

/** Where a request is sent. */
export interface Target {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly href: string;
}

/** @param path - below the base path. */
export function targetOf(
  { baseUrl, basePath, tokenUrl }: HubAddress,
  endpoint: EndpointName,
  path: string,
): Target {
  const isToken = endpoint === 'token' && tokenUrl !== undefined;
  const { origin, pathname, search, href } = new URL(isToken ? tokenUrl : baseUrl + basePath + path);
  return { origin, path: pathname + search, href };
}
