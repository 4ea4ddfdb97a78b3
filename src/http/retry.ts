import type { Clock } from '../clock.js';
import { ConnectionError, HubError, RateLimitError } from '../errors.js';

export interface RetryOptions {
  /** How often a request is sent at most, including the first time. */
  readonly attempts: number;
  /** Upper bound of the first backoff, in ms; doubled after each failure. */
  readonly minDelayMs: number;
  /** Upper bound of every backoff, in ms. */
  readonly maxDelayMs: number;
  /** Counted from the start of the call, in ms; a wait that would end later is not started. */
  readonly deadlineMs: number;
}

/** Full jitter: any time up to the exponential bound, so that clients that failed together do not retry together. */
export function backoffMs(options: RetryOptions, failures: number, random = Math.random()): number {
  return Math.ceil(random * Math.min(options.maxDelayMs, options.minDelayMs * 2 ** (failures - 1)));
}

/** What the n-th 429 in a row adds to the hub's own wait: strictly more each time, with a little jitter. */
export function growthMs(options: RetryOptions, count: number, random = Math.random()): number {
  const steps = count <= 1 ? 0 : options.minDelayMs * 2 ** Math.min(count - 2, 11);
  return Math.ceil(steps + (random * options.minDelayMs) / 4);
}

/** Whether the request may be sent again after this error; `resend` is the rule of its endpoint. */
export function mayResend(error: unknown, resend: 'always' | 'unsent'): boolean {
  if (!(error instanceof HubError) || !error.retryable) return false;
  if (error instanceof RateLimitError) return error.origin === 'hub';
  if (resend === 'always') return error.code !== 'state';
  return error instanceof ConnectionError && !error.mayHaveReachedHub;
}

export interface RetryPlan {
  readonly options: RetryOptions;
  readonly clock: Clock;
  /** When the call began, on the monotonic clock. */
  readonly startedAt: number;
  /** Aborts a wait. */
  readonly signal: () => AbortSignal;
  readonly mayRetry: (error: unknown) => boolean;
  /** Called before the wait; `attempt` is the number of the coming one. */
  readonly onRetry: (error: HubError, attempt: number, delayMs: number) => void;
}

/**
 * The first attempt has failed with `error`: calls `send` until it succeeds or
 * must not be retried.
 *
 * p-retry counts the attempts and is loaded for the second one; all waits are on
 * the client's clock.
 *
 * @throws the error of the last attempt as it is, or the signal's reason.
 */
export async function sendAgain<T>(
  send: (attempt: number) => Promise<T>,
  error: unknown,
  plan: RetryPlan,
): Promise<T> {
  const { options, clock } = plan;
  await waitToRetry(error, 1, plan);
  const release = clock.hold?.();
  const { default: pRetry, AbortError } = await import('p-retry').finally(release);
  let final: unknown;
  const again = async (retry: number): Promise<T> => {
    try {
      return await send(retry + 1);
    } catch (failure) {
      await waitToRetry(failure, retry + 1, plan).catch((reason: unknown) => {
        final = reason;
        throw new AbortError(reason instanceof Error ? reason : String(reason));
      });
      throw failure;
    }
  };
  return pRetry(again, { retries: options.attempts - 2, minTimeout: 0 }).catch(() => {
    // Not the error of p-retry, which wraps a reason that is not an Error.
    throw final;
  });
}

/** @throws what the caller gets, if there is no further attempt. */
async function waitToRetry(error: unknown, attempt: number, plan: RetryPlan): Promise<void> {
  const { options, clock, startedAt } = plan;
  if (attempt >= options.attempts || !plan.mayRetry(error)) throw error;
  const failure = error as HubError;
  const delayMs = failure instanceof RateLimitError ? failure.retryAfterMs : backoffMs(options, attempt);
  if (clock.monotonic() - startedAt + delayMs > options.deadlineMs) throw error;
  plan.onRetry(failure, attempt + 1, delayMs);
  await clock.sleep(delayMs, plan.signal());
}
