/** One row of Spec §4 and §8. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  /** Below the client's `basePath`; braces name parameters. */
  readonly path: string;
  readonly auth: 'none' | 'bearer' | 'apiKey';
  /** Requests the hub allows in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /**
   * `always`: sending it twice does no harm. `unsent`: it moves an order, so
   * it is sent again only when the hub provably never saw it.
   */
  readonly resend: 'always' | 'unsent';
  readonly section: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The six endpoints of Spec §4 with the limits of §8: the only place that lists them. */
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

/** The name under which errors, events and `rateLimits()` speak of an endpoint. */
export type EndpointName = keyof typeof ENDPOINTS;

export const ENDPOINT_NAMES = Object.freeze(Object.keys(ENDPOINTS) as EndpointName[]);

/** Items in one acknowledgment request (Spec §4.4). */
export const ACKNOWLEDGMENT_MAX_ITEMS = 100;

/** Events one poll lists at the most (the standard; the spec shows no number). */
export const EVENTS_PER_POLL = 1000;

/** Lifetime of a token as the spec states it (Spec §2.1). */
export const TOKEN_LIFETIME_MS = 604_800_000;
