/** Headers in which hubs, and the proxies before them, name a request; the first one counts. */
const HEADERS = ['x-request-id', 'x-correlation-id', 'traceparent', 'cf-ray'] as const;

/** Longer than every id in use: a UUID has 36 characters, a traceparent 55. */
const MAX_LENGTH = 128;

/** Of a longer value no more is looked through for secrets. */
const MAX_READ_LENGTH = 4096;

/** The hub's id of a request, in printable ASCII, without secrets that a hub echoes there. */
export function requestIdOf(
  header: (name: string) => string | undefined,
  scrub: (text: string) => string,
): { requestId?: string } {
  for (const name of HEADERS) {
    const value = header(name)?.trim();
    if (!value) continue;
    const requestId = scrub(value.slice(0, MAX_READ_LENGTH)).slice(0, MAX_LENGTH);
    return { requestId: requestId.replace(/[^\x20-\x7e]/g, '?') };
  }
  return {};
}
