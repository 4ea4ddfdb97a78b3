import { onAbort } from '../async/abort.js';
import { Abortable } from '../async/abortable.js';
import type { Clock } from '../clock.js';
import type { Call } from './call.js';
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
  /** Aborts with the call, and when the present attempt takes too long. */
  attempt = new Abortable();
  #isAborted = false;
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

  /** The signal of the present attempt. */
  get signal(): AbortSignal {
    return this.attempt.signal;
  }

  /** Ends the call. */
  abort(reason: unknown): void {
    this.#isAborted = true;
    this.attempt.abort(reason);
  }

  /** Ends the present attempt; the call may make another one. */
  endAttempt(reason: unknown): void {
    if (this.#isAborted) return;
    const ended = this.attempt;
    this.attempt = new Abortable();
    ended.abort(reason);
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
