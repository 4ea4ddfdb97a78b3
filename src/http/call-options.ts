import { type Check, number, object, resolve } from '../option-checks.js';
import type { RetryOptions } from './retry.js';

/**
 * Options that every call takes.
 *
 * A request that several calls share (a token, the merchant document) has the
 * limits of the call that began it. A token that a call has to obtain first is
 * requested with the client's own limits.
 */
export interface CallOptions {
  /** Ends this call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Limit for one attempt of this call, in ms. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Retries of this call, merged with the client's `retry`. */
  readonly retry?: Partial<RetryOptions> | undefined;
}

const milliseconds = (min: number) => number({ min, unit: 'ms' });

export const checkTimeoutMs = milliseconds(1);

export const RETRY_CHECKS = {
  attempts: number({ min: 1, max: 100, integer: true }),
  minDelayMs: milliseconds(1),
  maxDelayMs: milliseconds(1),
  deadlineMs: milliseconds(0),
} satisfies { readonly [Key in keyof RetryOptions]: Check<RetryOptions[Key]> };

const CALL_CHECKS = {
  signal: object<AbortSignal>('an AbortSignal', 'throwIfAborted', 'addEventListener', 'removeEventListener'),
  timeoutMs: checkTimeoutMs,
  retry: (name: string, value: unknown) =>
    resolve<Partial<RetryOptions>>(`${name}.`, value, {}, RETRY_CHECKS),
};

const unchecked: Check<unknown> = (_name, value) => value;

/**
 * The options of one call, without those that are undefined.
 *
 * @param others - names of options that only this call has; the caller checks them.
 * @throws {ConfigurationError} an option is unknown or wrong.
 */
export function resolveCallOptions<T extends CallOptions>(
  given: T,
  ...others: readonly Exclude<keyof T & string, keyof CallOptions>[]
): T {
  const checks = { ...CALL_CHECKS, ...Object.fromEntries(others.map((name) => [name, unchecked])) };
  return resolve('', given, {} as T, checks as unknown as { readonly [Key in keyof T]-?: Check<T[Key]> });
}

/** A key that is equal for calls with equal limits. */
export function limitsKey({ timeoutMs, retry = {} }: CallOptions): string {
  const { attempts, minDelayMs, maxDelayMs, deadlineMs } = retry;
  return JSON.stringify([timeoutMs, attempts, minDelayMs, maxDelayMs, deadlineMs]);
}
