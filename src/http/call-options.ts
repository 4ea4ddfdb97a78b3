import { type Check, number, object, resolve } from '../options/checks.js';
import type { RetryOptions } from './retry.js';

/**
 * Options of every call.
 *
 * A request that several calls share (for a token or the merchant document)
 * has the limits of the call that started it. A token that a call must obtain
 * first is requested with the limits of the client.
 */
export interface CallOptions {
  /** Aborts this call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of each attempt, in ms. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Retries of this call; missing keys have the value of the client's `retry`. */
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

const signal = object<AbortSignal>(
  'an AbortSignal',
  'throwIfAborted',
  'addEventListener',
  'removeEventListener',
);

/** @throws {ConfigurationError} an option is unknown, or `signal` is not an AbortSignal. */
export const signalOf = (options: Pick<CallOptions, 'signal'>): AbortSignal | undefined =>
  resolve<Pick<CallOptions, 'signal'>>('', options, {}, { signal }).signal;

const CALL_CHECKS = {
  signal,
  timeoutMs: checkTimeoutMs,
  retry: (name: string, value: unknown) =>
    resolve<Partial<RetryOptions>>(`${name}.`, value, {}, RETRY_CHECKS),
};

const unchecked: Check<unknown> = (_name, value) => value;

/**
 * Makes the check of one call's options. It returns the options that are not
 * undefined, and throws a `ConfigurationError` if an option is unknown or invalid.
 *
 * @param others - names of options that only this call has; the caller checks them.
 */
export function callOptionsCheck<T extends CallOptions>(
  ...others: readonly Exclude<keyof T & string, keyof CallOptions>[]
): (given: T) => T {
  const all = { ...CALL_CHECKS, ...Object.fromEntries(others.map((name) => [name, unchecked])) };
  const checks = all as unknown as { readonly [Key in keyof T]-?: Check<T[Key]> };
  return (given) => resolve('', given, {} as T, checks);
}

/** The check of a call without options of its own. */
export const checkCallOptions = callOptionsCheck<CallOptions>();

/** A key that is equal for calls with equal limits. */
export function limitsKey({ timeoutMs, retry = {} }: CallOptions): string {
  const { attempts, minDelayMs, maxDelayMs, deadlineMs } = retry;
  return JSON.stringify([timeoutMs, attempts, minDelayMs, maxDelayMs, deadlineMs]);
}
