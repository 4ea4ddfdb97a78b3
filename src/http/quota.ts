import type { Endpoint, EndpointName } from '../endpoints.js';
import { RateLimitError } from '../errors.js';

/** If there was no response, the hub may have counted the request up to this much later than we think. */
const UNANSWERED_MARGIN_MS = 5000;

/** A request is sent at most this long after its slot was reserved. */
export const SEND_MARGIN_MS = 5000;

/** Without a token there are no orders, and the window of the token endpoint is an hour. */
const MAX_TOKEN_WAIT_MS = 5 * 60_000;

/** The state's key for an endpoint's quota. */
export function quotaKey(scope: string, endpoint: EndpointName): string {
  // Not a template: V8 would keep its parts too, for each of ten thousand stores.
  return ['quota', scope, endpoint].join(':');
}

/** How long a slot stays taken if nobody settles it: until the request is sent, the longest exchange, then the window. */
export function holdMsOf({ windowMs }: Endpoint, timeoutMs: number): number {
  return SEND_MARGIN_MS + timeoutMs + windowMs;
}

/** How long a slot stays taken after its exchange is over. */
export function freeInMsOf({ windowMs }: Endpoint, hasResponse: boolean): number {
  return windowMs + (hasResponse ? 0 : UNANSWERED_MARGIN_MS);
}

/** How long to wait after a 429 that does not say so readably. The quota still limits the requests of a window. */
export function waitAfter429Ms(endpoint: EndpointName, { windowMs }: Endpoint): number {
  return endpoint === 'token' ? Math.min(windowMs, MAX_TOKEN_WAIT_MS) : windowMs;
}

/** The error of a request that was not sent, because its slot is free too late. */
export function localLimitError(
  endpoint: EndpointName,
  { limit, windowMs, section }: Endpoint,
  waitMs: number,
): RateLimitError {
  const retryAfterMs = Math.ceil(waitMs);
  return new RateLimitError(
    `${endpoint}: not sent, the hub allows ${limit} requests in ${windowMs / 60_000} min ` +
      `(Spec ${section}, §8); the next slot frees in ${retryAfterMs} ms`,
    { endpoint, status: 429, attempts: 0, body: '', retryAfterMs, origin: 'local' },
  );
}
