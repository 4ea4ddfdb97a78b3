import type { GetHeader } from './retry-after.js';

/** Headers in which hubs, and the proxies in front of them, identify a request; the first one present is used. */
const HEADERS = ['x-request-id', 'x-correlation-id', 'traceparent', 'cf-ray'] as const;

/** Longer than every format in use: a UUID has 36 characters, a traceparent 55. */
const MAX_LENGTH = 128;

/** A longer value is cut to this length before it is searched for secrets. */
const MAX_SCRUBBED_LENGTH = 4096;

/** The hub's id of a request, in printable ASCII, with secrets masked in case the hub echoes one. */
export function requestIdOf(header: GetHeader, scrub: (text: string) => string): { requestId?: string } {
  for (const name of HEADERS) {
    const value = header(name)?.trim();
    if (!value) continue;
    const requestId = scrub(value.slice(0, MAX_SCRUBBED_LENGTH)).slice(0, MAX_LENGTH);
    return { requestId: requestId.replace(/[^\x20-\x7e]/g, '?') };
  }
  return {};
}
