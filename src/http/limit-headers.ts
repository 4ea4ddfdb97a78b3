import type { GetHeader } from './retry-after.js';

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
