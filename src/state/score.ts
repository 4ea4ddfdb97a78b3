import { HANDLED, MAX_LIFETIME_MS, type MarkLifetimes } from './port.js';

/*
 * A score is one number that contains the expiry of a mark and the mark:
 * milliseconds times `MARK_BASE`, plus the mark. Scores in Redis have the same form.
 */

export const MARK_BASE = 2048;

/** A mark is renewed when less than this part of its lifetime is left, so that not every redelivery is a write. */
export const RENEW_BELOW = 0.75;

/** The score of a mark that was removed: it has expired at any time. */
export const REMOVED = 1;

/** The expiry is rounded up: a mark is never forgotten too early. */
export function scoreOf(mark: number, forMs: number, now: number): number {
  if (forMs <= 0) return REMOVED;
  return Math.ceil(now + Math.min(forMs, MAX_LIFETIME_MS)) * MARK_BASE + mark;
}

/** The least score of a mark that has not expired. */
export const leastScore = (now: number) => (Math.floor(now) + 1) * MARK_BASE;

export const expiryOf = (score: number) => Math.floor(score / MARK_BASE);

export const markIn = (score: number) => score % MARK_BASE;

/** The mark, or 0 if it has expired. */
export const markOf = (score: number, now: number) => (expiryOf(score) > now ? markIn(score) : 0);

export function lifetimeOf(mark: number, { handledMs, attemptedMs }: MarkLifetimes): number {
  return mark === HANDLED ? handledMs : attemptedMs;
}
