import type { EndpointName } from '../endpoints.js';

/** Where the hub is; see `HubClientOptions`. */
export interface HubAddress {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly tokenUrl: string | undefined;
}

/** @param path - below the base path. */
export function endpointUrl(
  { baseUrl, basePath, tokenUrl }: HubAddress,
  endpoint: EndpointName,
  path: string,
): URL {
  return new URL(endpoint === 'token' && tokenUrl !== undefined ? tokenUrl : baseUrl + basePath + path);
}
