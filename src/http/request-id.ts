import type { Redactor } from '../secrets/redactor.js';
import type { GetHeader } from './retry-after.js';

/** Headers in which hubs, and the proxies in front of them, identify a request; the first one present is used. */
const HEADERS = ['x-request-id', 'x-correlation-id', 'traceparent', 'cf-ray'] as const;

/** Longer than every format in use: a UUID has 36 characters, a traceparent 55. */
const MAX_LENGTH = 128;

/** The hub's id of a request, in printable ASCII, with secrets masked. */
export function requestIdOf(header: GetHeader, redactor: Redactor): { requestId?: string } {
  for (const name of HEADERS) {
    const value = header(name)?.trim();
    if (!value) continue;
    const requestId = redactor.mask(value, MAX_LENGTH);
    return { requestId: requestId.replace(/[^\x20-\x7e]/g, '?') };
  }
  return {};
}
