import { onAbort } from '../async/abort.js';
import type { Clock } from '../clock.js';
import { ClosedError, ConnectionError } from '../errors.js';
import type { Call } from './call.js';
import { outcomeOf } from './outcome.js';
import type { RetryOptions } from './retry.js';

/** The limits of a client's calls. */
export interface CallLimits {
  /** Time limit of one attempt, in ms. */
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
}

/** A call in progress: the limits that apply to it, and what aborts it. */
export class ActiveCall<T> {
  readonly call: Call<T>;
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  readonly startedAt: number;
  /** On the monotonic clock; a wait that would end later is not started. */
  readonly deadlineAt: number;
  /** A request was sent, and nothing proves that the hub has not carried it out. */
  isOutcomeUnknown = false;
  /** No credential could be obtained. Its own call has retried that; retrying it here would multiply the requests. */
  hasNoCredential = false;
  #attempt = new AbortController();
  #aborted: { readonly reason: unknown } | undefined;
  readonly #stopListening: (() => void) | undefined;

  /** @param limits - those of the client; the call's own limits take precedence. */
  constructor(call: Call<T>, { timeoutMs, retry }: CallLimits, clock: Clock) {
    this.call = call;
    this.timeoutMs = call.timeoutMs ?? timeoutMs;
    this.retry = retryOf(call, retry);
    this.startedAt = clock.monotonic();
    this.deadlineAt = this.startedAt + this.retry.deadlineMs;
    const { signal } = call;
    this.#stopListening = signal && onAbort(signal, () => this.abort(signal.reason));
  }

  /** Aborts with the call, and when the present attempt takes too long. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** Ends the call. */
  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#attempt.abort(reason);
  }

  /** Ends the present attempt; the call may make another one. */
  endAttempt(reason: unknown): void {
    if (this.#aborted) return;
    const ended = this.#attempt;
    this.#attempt = new AbortController();
    ended.abort(reason);
  }

  /** What the caller gets: an aborted command that may have been carried out says so, whatever the reason was. */
  errorOf(error: unknown): unknown {
    if (!this.#aborted || error !== this.#aborted.reason || !this.isOutcomeUnknown) return error;
    const { endpoint } = this.call;
    const outcome = outcomeOf(endpoint, true);
    if (outcome.outcome === undefined) return error;
    const message = `${endpoint}: aborted after it was sent, so the hub may have carried it out; read the order before you send it again`;
    const options = { cause: error, ...outcome };
    if (error instanceof ClosedError) return new ClosedError(message, options);
    return new ConnectionError(endpoint, message, { ...options, mayHaveReachedHub: true });
  }

  /** The call is over. */
  release(): void {
    this.#stopListening?.();
  }
}

function retryOf({ retry: own, attempts, deadlineMs }: Call<unknown>, retry: RetryOptions): RetryOptions {
  if (!own && attempts === undefined && deadlineMs === undefined) return retry;
  const merged = own ? { ...retry, ...own } : retry;
  return {
    attempts: Math.min(merged.attempts, attempts ?? merged.attempts),
    minDelayMs: merged.minDelayMs,
    maxDelayMs: merged.maxDelayMs,
    deadlineMs: Math.min(merged.deadlineMs, deadlineMs ?? merged.deadlineMs),
  };
}
