const DAY_MS = 86_400_000;

/** The three date forms of HTTP (RFC 9110 §5.6.7) and nothing else: `Date.parse('-3')` is a date in 2001. */
const DATE_FORMS = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

type Header = (name: string) => string | undefined;

/**
 * What a `Retry-After` header asks for, in milliseconds.
 *
 * A date is read against the hub's own `Date` header where that gives a
 * sensible wait, so that a local clock that is wrong does no harm.
 *
 * @returns undefined when there is none, or none that can be believed: not
 * digits nor an HTTP date, or more than 24 hours away.
 * @see Spec §7
 */
export function readRetryAfterMs(header: Header, nowMs: number): number | undefined {
  const value = header('retry-after')?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return believable(Number(value) * 1000);
  const at = readHttpDate(value);
  if (at === undefined) return undefined;
  const sentAt = readHttpDate(header('date')?.trim() ?? '');
  const byHub = sentAt === undefined ? undefined : believable(at - sentAt);
  if (byHub !== undefined) return byHub;
  return believable(Math.max(0, at - nowMs));
}

function believable(waitMs: number): number | undefined {
  return waitMs >= 0 && waitMs <= DAY_MS ? waitMs : undefined;
}

function readHttpDate(value: string): number | undefined {
  if (!DATE_FORMS.some((form) => form.test(value))) return undefined;
  const at = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

export interface LimitHeaders {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetMs?: number;
}

/**
 * The consumption headers of an answer. A reset is seconds from now, or, as
 * some hosts send it, an instant in epoch seconds or milliseconds; one outside
 * 0 to `windowMs` is not believed.
 *
 * @see Spec §8
 */
export function readLimitHeaders(header: Header, windowMs: number, nowMs: number): LimitHeaders {
  const count = (name: string) => {
    const value = header(name)?.trim();
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  };
  const limit = count('x-ratelimit-limit');
  const remaining = count('x-ratelimit-remaining');
  const reset = count('x-ratelimit-reset');
  const resetMs = reset === undefined ? undefined : untilReset(reset, nowMs);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && resetMs >= 0 && resetMs <= windowMs && { resetMs }),
  };
}

function untilReset(reset: number, nowMs: number): number {
  if (reset > 1e12) return reset - nowMs;
  if (reset > 1e9) return reset * 1000 - nowMs;
  return reset * 1000;
}
