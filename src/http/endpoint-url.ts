import type { EndpointName } from '../endpoints.js';
import type { EndpointTable } from '../host-endpoints.js';

/** Where the hub is; see `HubClientOptions`. */
export interface HubAddress {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly tokenUrl: string | undefined;
  readonly endpoints: EndpointTable;
}

/** Where a request is sent. */
export interface Target {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly href: string;
}

/** The values of the placeholders in an endpoint's path, percent-encoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** The targets of one hub. Those without parameters are made once. */
export class Targets {
  readonly #address: HubAddress;
  readonly #known: Partial<Record<EndpointName, Target>> = {};

  constructor(address: HubAddress) {
    this.#address = address;
  }

  /** Where all paths begin. */
  get base(): string {
    const { baseUrl, basePath } = this.#address;
    return baseUrl + basePath;
  }

  of(endpoint: EndpointName, parameters?: PathParameters, query?: string): Target {
    if (parameters || query !== undefined) return targetOf(this.#address, endpoint, parameters, query);
    this.#known[endpoint] ??= targetOf(this.#address, endpoint);
    return this.#known[endpoint];
  }
}

function targetOf(
  { baseUrl, basePath, tokenUrl, endpoints }: HubAddress,
  endpoint: EndpointName,
  parameters: PathParameters = {},
  query?: string,
): Target {
  const template = endpoints[endpoint].path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] as string);
  const isToken = endpoint === 'token' && tokenUrl !== undefined;
  const below = query === undefined ? path : `${path}?${query}`;
  const { origin, pathname, search, href } = new URL(isToken ? tokenUrl : baseUrl + basePath + below);
  return { origin, path: pathname + search, href };
}
