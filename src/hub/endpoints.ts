/** One endpoint of Spec §4 with its limit of §8. */
export interface Endpoint {
  /** HTTP method. */
  readonly method: 'GET' | 'POST';
  /** Without the client's `basePath`; names in braces are parameters. */
  readonly path: string;
  /** The credential that the request carries: a bearer token, or the `x-api-key` header. */
  readonly auth: 'none' | 'bearer' | 'apiKey';
  /** How many requests the hub allows in any window of `windowMs` (Spec §8). */
  readonly limit: number;
  /** Length of the window that `limit` applies to, in ms (Spec §8). */
  readonly windowMs: number;
  /**
   * When a failed request may be sent again. `always`: sending it twice is
   * harmless. `unsent`: it changes an order, so only if the hub provably did
   * not receive it.
   */
  readonly resend: 'always' | 'unsent';
  /** Section of the spec, such as `§4.3`. */
  readonly section: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The six endpoints of Spec §4 with the limits of §8. A client or a mock hub with a profile has a copy with its paths and limits. */
export const ENDPOINTS = Object.freeze({
  token: {
    method: 'POST',
    path: '/oauth/token',
    auth: 'none',
    limit: 10,
    windowMs: HOUR_MS,
    resend: 'always',
    section: '§4.1',
  },
  merchant: {
    method: 'GET',
    path: '/v1/merchant',
    auth: 'apiKey',
    limit: 10,
    windowMs: MINUTE_MS,
    resend: 'always',
    section: '§4.2',
  },
  polling: {
    method: 'GET',
    path: '/v1/events:polling',
    auth: 'bearer',
    limit: 2,
    windowMs: MINUTE_MS,
    resend: 'always',
    section: '§4.3',
  },
  acknowledgment: {
    method: 'POST',
    path: '/v1/events/acknowledgment',
    auth: 'bearer',
    limit: 100,
    windowMs: MINUTE_MS,
    resend: 'always',
    section: '§4.4',
  },
  order: {
    method: 'GET',
    path: '/v1/orders/{orderId}',
    auth: 'bearer',
    limit: 100,
    windowMs: MINUTE_MS,
    resend: 'always',
    section: '§4.5',
  },
  orderStatus: {
    method: 'POST',
    path: '/v1/orders/{orderId}/{status}',
    auth: 'bearer',
    limit: 100,
    windowMs: MINUTE_MS,
    resend: 'unsent',
    section: '§4.5',
  },
} as const satisfies Record<string, Endpoint>);

/** The name of an endpoint in errors, events and `rateLimits()`. */
export type EndpointName = keyof typeof ENDPOINTS;

export const ENDPOINT_NAMES = Object.freeze(Object.keys(ENDPOINTS) as EndpointName[]);

/** The most items in one acknowledgment request (Spec §4.4). */
export const ACKNOWLEDGMENT_MAX_ITEMS = 100;

/** The most events in one poll response, by the standard; the spec has no number. */
export const EVENTS_PER_POLL = 1000;

/** Lifetime of a token (Spec §2.1): seven days. */
export const TOKEN_LIFETIME_MS = 604_800_000;
