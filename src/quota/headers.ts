const DAY_MS = 86_400_000;

/** The three date forms of HTTP (RFC 9110 §5.6.7) and nothing else: `Date.parse('-3')` is a date in 2001. */
const DATE_FORMS = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** The value of a response header; undefined if the response does not have it. */
export type GetHeader = (name: string) => string | undefined;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds.
 *
 * A date is compared with the hub's own `Date` header if that gives a plausible
 * wait, so a wrong local clock does no harm.
 *
 * @returns undefined if the header is missing or not plausible: neither digits
 * nor an HTTP date, or more than 24 hours.
 * @see Spec §7
 */
export function readRetryAfterMs(header: GetHeader, nowMs: number): number | undefined {
  const value = header('retry-after')?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return plausible(Number(value) * 1000);
  const at = readHttpDate(value);
  if (at === undefined) return undefined;
  const sentAt = readHttpDate(header('date')?.trim() ?? '');
  const byHub = sentAt === undefined ? undefined : plausible(at - sentAt);
  if (byHub !== undefined) return byHub;
  return plausible(Math.max(0, at - nowMs));
}

function plausible(waitMs: number): number | undefined {
  return waitMs >= 0 && waitMs <= DAY_MS ? waitMs : undefined;
}

function readHttpDate(value: string): number | undefined {
  if (!DATE_FORMS.some((form) => form.test(value))) return undefined;
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

/** The `x-ratelimit-*` headers of a response. */
export interface LimitHeaders {
  readonly remaining?: number;
  /** Until the window ends. */
  readonly resetMs?: number;
}

/**
 * Reads the `x-ratelimit-*` headers. A reset is seconds from now or, from some
 * hosts, an instant in epoch seconds or epoch milliseconds. A reset outside
 * 0 to `windowMs` is ignored.
 *
 * @see Spec §8
 */
export function readLimitHeaders(header: GetHeader, windowMs: number, nowMs: number): LimitHeaders {
  const remaining = readCount(header('x-ratelimit-remaining'));
  const reset = readCount(header('x-ratelimit-reset'));
  const resetMs = reset === undefined ? undefined : untilReset(reset, nowMs);
  return {
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && resetMs >= 0 && resetMs <= windowMs && { resetMs }),
  };
}

function readCount(header: string | undefined): number | undefined {
  const value = header?.trim();
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
}

function untilReset(reset: number, nowMs: number): number {
  if (reset > 1e12) return reset - nowMs;
  if (reset > 1e9) return reset * 1000 - nowMs;
  return reset * 1000;
}
