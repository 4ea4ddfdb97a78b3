import { type Check, number, object, resolve } from '../options/checks.js';
import { checksOf, type OptionValues, option } from '../options/table.js';

const milliseconds = (min: number) => number({ min, unit: 'ms' });

export const RETRY = {
  /** How often a request is sent at most, including the first time. Default: 4. */
  attempts: option(4, number({ min: 1, max: 100, integer: true })),
  /** Upper bound of the first backoff, in ms; doubled after each failure. Default: 1000. */
  minDelayMs: option(1000, milliseconds(1)),
  /** Upper bound of every backoff, in ms. Default: 60 000. */
  maxDelayMs: option(60_000, milliseconds(1)),
  /** Counted from the start of the call, in ms; a wait that would end later is not started. Default: 300 000. */
  deadlineMs: option(300_000, milliseconds(0)),
};

/** How failed requests are repeated (Spec §7). */
export interface RetryOptions extends OptionValues<typeof RETRY> {}

/**
 * Options of every call.
 *
 * A request that several calls share (for a token or the merchant document)
 * has the limits of the call that started it. A call with another `timeoutMs` or
 * `retry` waits for it first, and sends its own request after it only if it fails
 * with a `retryable` error. A token that a call must obtain first is requested
 * with the limits of the client.
 */
export interface CallOptions {
  /** Aborts this call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of each attempt, in ms. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Retries of this call; missing keys have the value of the client's `retry`. */
  readonly retry?: Partial<RetryOptions> | undefined;
}

export const checkTimeoutMs = milliseconds(1);

const RETRY_CHECKS = checksOf(RETRY);

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
