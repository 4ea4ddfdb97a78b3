import type { Clock } from '../clock.js';
import { ConnectionError, HubError, RateLimitError } from '../errors.js';

export interface RetryOptions {
  /** How often a request is sent at the most, the first time included. */
  readonly attempts: number;
  /** Bound of the first backoff; doubled after each failure. */
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** From the call on; a wait that would end later is not begun. */
  readonly deadlineMs: number;
}

/** Full jitter: anywhere between nothing and the exponential bound, so that clients that failed together part. */
export function backoffMs(options: RetryOptions, failures: number, random = Math.random()): number {
  return Math.ceil(random * Math.min(options.maxDelayMs, options.minDelayMs * 2 ** (failures - 1)));
}

/** What a repeated 429 adds to the hub's own wait: strictly more each time, a little of it by chance. */
export function growthMs(options: RetryOptions, refusals: number, random = Math.random()): number {
  const steps = refusals <= 1 ? 0 : options.minDelayMs * 2 ** Math.min(refusals - 2, 11);
  return Math.ceil(steps + (random * options.minDelayMs) / 4);
}

/** Whether the same request may be sent again, given what its endpoint does with it. */
export function mayResend(error: unknown, resend: 'always' | 'unsent'): boolean {
  if (!(error instanceof HubError) || !error.retryable) return false;
  if (error instanceof RateLimitError) return error.origin === 'hub';
  if (resend === 'always') return error.code !== 'state';
  return error instanceof ConnectionError && !error.mayHaveReachedHub;
}

export interface RetryPlan {
  readonly options: RetryOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly resend: 'always' | 'unsent';
  /** Whether an error is not this call's to retry. */
  readonly isFinal: (error: unknown) => boolean;
  readonly onRetry: (error: HubError, attempt: number, delayMs: number) => void;
}

/**
 * Sends until it succeeds or may not be sent again. The first try costs
 * nothing extra; p-retry counts from the second on, and all waiting is done on
 * the client's clock.
 */
export async function withRetries<T>(send: (attempt: number) => Promise<T>, plan: RetryPlan): Promise<T> {
  const { options, clock, signal } = plan;
  const startedAt = clock.monotonic();
  /** Waits out the failure; false when the request may not be sent again, or not in time. */
  const waited = async (error: unknown, attempt: number): Promise<boolean> => {
    if (attempt >= options.attempts || plan.isFinal(error) || !mayResend(error, plan.resend)) return false;
    const failure = error as HubError;
    const delayMs = failure instanceof RateLimitError ? failure.retryAfterMs : backoffMs(options, attempt);
    if (clock.monotonic() - startedAt + delayMs > options.deadlineMs) return false;
    plan.onRetry(failure, attempt + 1, delayMs);
    await clock.sleep(delayMs, signal);
    return true;
  };
  try {
    return await send(1);
  } catch (error) {
    if (!(await waited(error, 1))) throw error;
  }
  const release = clock.hold?.();
  const { default: pRetry } = await import('p-retry').finally(release);
  try {
    return await pRetry((retry) => send(retry + 1), {
      retries: options.attempts - 2,
      minTimeout: 0,
      shouldRetry: ({ error, attemptNumber }) => waited(error, attemptNumber + 1),
    });
  } catch (error) {
    // p-retry wraps reasons that are no errors.
    if (signal?.aborted) throw signal.reason;
    throw error;
  }
}
