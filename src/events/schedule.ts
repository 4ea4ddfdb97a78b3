import { AuthenticationError, RateLimitError } from '../errors.js';

/** The longest backoff after failures of the network or the hub: a restaurant is waiting for its orders. */
const MAX_BACKOFF_MS = 5 * 60_000;

/** A person has to correct refused credentials; frequent tries would only use up the token quota. */
const FIRST_CREDENTIALS_BACKOFF_MS = 5 * 60_000;
const MAX_CREDENTIALS_BACKOFF_MS = 30 * 60_000;

/**
 * How long after the start of a failed poll the next one is due: at least the
 * interval. Exponential, with jitter above the interval; after 429, what the
 * hub (or our own count of its quota) demands.
 *
 * @param failures - failed polls in a row, including this one.
 * @see Spec §6.2, §7
 */
export function backoffAfter(
  error: unknown,
  failures: number,
  intervalMs: number,
  random = Math.random(),
): number {
  if (error instanceof RateLimitError) return Math.max(intervalMs, error.retryAfterMs);
  const [first, max] =
    error instanceof AuthenticationError
      ? [FIRST_CREDENTIALS_BACKOFF_MS, MAX_CREDENTIALS_BACKOFF_MS]
      : [intervalMs, MAX_BACKOFF_MS];
  const bound = Math.max(intervalMs, Math.min(max, first * 2 ** Math.min(failures - 1, 20)));
  const least = Math.max(intervalMs, bound / 2);
  return Math.ceil(least + random * (bound - least));
}

/** How long to wait from `now` until the next poll is due, in ms; instants are monotonic. */
export function untilDue(now: number, lastStartedAt: number | undefined, pauseMs: number): number {
  return lastStartedAt === undefined ? 0 : Math.max(0, lastStartedAt + pauseMs - now);
}
