import pRetry from 'p-retry';
import { ConnectionError, HubError, RateLimitError } from '../errors/index.js';
import type { Clock } from '../time/clock.js';
import type { ActiveCall } from './active-call.js';
import type { RetryOptions } from './call-options.js';

/** Full jitter: any time up to the exponential bound, so that clients that failed together do not retry together. */
function backoffMs(options: RetryOptions, failures: number): number {
  return Math.ceil(Math.random() * Math.min(options.maxDelayMs, options.minDelayMs * 2 ** (failures - 1)));
}

/** What the n-th 429 in a row adds to the hub's own wait: strictly more each time, with a little jitter. */
export function growthMs(options: RetryOptions, count: number): number {
  const steps = count <= 1 ? 0 : options.minDelayMs * 2 ** Math.min(count - 2, 11);
  return Math.ceil(steps + (Math.random() * options.minDelayMs) / 4);
}

/** Whether the request may be sent again after this error; `resend` is the rule of its endpoint. */
function mayResend(error: unknown, resend: 'always' | 'unsent'): error is HubError {
  if (!(error instanceof HubError) || !error.retryable) return false;
  if (error instanceof RateLimitError) return error.origin === 'hub';
  if (resend === 'always') return error.code !== 'state';
  return error instanceof ConnectionError && !error.mayHaveReachedHub;
}

/**
 * The first attempt has failed with `first`: calls `send` until it succeeds or
 * must not be retried. p-retry counts the attempts; all waits are on the client's clock.
 *
 * @throws the error of the last attempt as it is, or the signal's reason.
 */
export async function sendAgain<T>(
  active: ActiveCall<T>,
  clock: Clock,
  send: () => Promise<T>,
  first: unknown,
): Promise<T> {
  await waitToRetry(active, clock, first);
  // Not the error of p-retry, which wraps a reason that is not an Error.
  let failure: unknown;
  const again = () =>
    send().catch((error: unknown) => {
      failure = error;
      throw error;
    });
  const onFailedAttempt = () => waitToRetry(active, clock, failure);
  return pRetry(again, { retries: active.retry.attempts - 2, minTimeout: 0, onFailedAttempt });
}

/** @throws what the caller gets, if there is no further attempt. */
async function waitToRetry(active: ActiveCall<unknown>, clock: Clock, error: unknown): Promise<void> {
  const { attempt, call, hasNoCredential, retry, row, sender, startedAt } = active;
  if (attempt >= retry.attempts || hasNoCredential || !mayResend(error, row.resend)) throw error;
  const delayMs = error instanceof RateLimitError ? error.retryAfterMs : backoffMs(retry, attempt);
  if (clock.monotonic() - startedAt + delayMs > retry.deadlineMs) throw error;
  active.attempt += 1;
  const { endpoint } = call;
  sender.observers?.emit('retry', { endpoint, attempt: active.attempt, delayMs, error });
  await clock.sleep(delayMs, active.controller.signal);
}
