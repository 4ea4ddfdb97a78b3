import type { EndpointName } from '../hub/endpoints.js';
import { readRetryAfterMs } from '../quota/headers.js';
import type { HubState } from './hub-state.js';
import type { MockStore } from './mock-store.js';
import { type MockResponse, problem } from './response.js';

/** A request that arrives this soon after a 429 was sent before the client could read the 429. */
const IN_FLIGHT_MS = 1000;

/** Counts a request against its limit (Spec §8). Returns the 429 response if the limit is exceeded. */
export function countRequest(
  state: HubState,
  store: MockStore,
  endpoint: EndpointName,
): MockResponse | undefined {
  const { clock, retryAfter } = state.options;
  const now = clock.monotonic();
  const blocked = store.blocked.get(endpoint);
  if (blocked && now > blocked.from && now < blocked.until) {
    const earlyMs = blocked.until - now;
    state.broken.add(
      'retry-after',
      `sent ${Math.ceil(earlyMs)} ms before the Retry-After of a 429 had passed`,
    );
  }
  const quota = store.quotaOf(endpoint);
  if (quota.take(now)) return undefined;
  const minutes = state.endpoints[endpoint].windowMs / 60_000;
  state.broken.add('limit', `more than ${quota.limit} requests in ${minutes} min (Spec §8)`);
  const waitMs = quota.resetMs(now);
  const header =
    retryAfter === 'seconds'
      ? String(Math.ceil(waitMs / 1000))
      : new Date(Math.ceil((clock.now() + waitMs) / 1000) * 1000).toUTCString();
  return problem(429, 'rate limit exceeded', { 'retry-after': header });
}

/** After a 429: until its `Retry-After` has passed, a request to the endpoint is a violation. */
export function blockEndpoint(
  { options: { clock }, stores }: HubState,
  clientId: string | undefined,
  endpoint: EndpointName,
  headers: Readonly<Record<string, string>>,
): void {
  const all = new Headers(headers);
  const waitMs = readRetryAfterMs((name) => all.get(name) ?? undefined, clock.now());
  const store = stores.withClientId(clientId);
  if (!store || waitMs === undefined) return;
  const now = clock.monotonic();
  store.blocked.set(endpoint, { from: now + IN_FLIGHT_MS, until: now + waitMs });
}

/** The X-RateLimit headers of Spec §8; empty if the switch `limitHeaders` is off. */
export function limitHeaders(
  { options }: HubState,
  store: MockStore,
  endpoint: EndpointName,
): Record<string, string> {
  if (!options.limitHeaders) return {};
  const quota = store.quotaOf(endpoint);
  const now = options.clock.monotonic();
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining(now)),
    'x-ratelimit-reset': String(Math.ceil(quota.resetMs(now) / 1000)),
  };
}
