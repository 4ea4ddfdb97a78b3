import type { EndpointName } from '../endpoints.js';
import type { Authorization, Call } from './call.js';
import type { Target, Targets } from './endpoint-url.js';

export interface RequestPartsOptions {
  readonly targets: Targets;
  /** Extra headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
}

interface Prepared {
  readonly authorization: Authorization | undefined;
  readonly contentType: string | undefined;
  /** Those of the call. */
  readonly own: Call<unknown>['headers'];
  readonly headers: Readonly<Record<string, string>>;
}

/** Target and headers of requests. The headers are made once, because an idle poller sends the same request again and again. */
export class RequestParts {
  readonly #options: RequestPartsOptions;
  readonly #prepared: Partial<Record<EndpointName, Prepared>> = {};

  constructor(options: RequestPartsOptions) {
    this.#options = options;
  }

  target({ endpoint, parameters, query }: Call<unknown>): Target {
    return this.#options.targets.of(endpoint, parameters, query);
  }

  headers(
    { endpoint, contentType, headers: own }: Call<unknown>,
    authorization: Authorization | undefined,
  ): Prepared['headers'] {
    const known = this.#prepared[endpoint];
    if (
      known?.authorization === authorization &&
      known?.contentType === contentType &&
      known?.own === own &&
      known
    ) {
      return known.headers;
    }
    const { headers: ofClient, userAgent } = this.#options;
    const headers = Object.freeze({
      accept: 'application/json',
      'user-agent': userAgent,
      ...ofClient,
      ...own,
      ...(contentType && { 'content-type': contentType }),
      ...(authorization && { [authorization.header[0]]: authorization.header[1] }),
    });
    this.#prepared[endpoint] = { authorization, contentType, own, headers };
    return headers;
  }
}
