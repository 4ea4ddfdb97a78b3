import { abandonOnAbort } from '../async/abort.js';
import { Lifetime } from '../async/lifetime.js';
import { ENDPOINTS } from '../endpoints.js';
import { ClosedError } from '../errors.js';
import { Attempt, type AttemptOptions } from './attempt.js';
import type { ActiveCall, Call } from './call.js';
import { outcomeOf } from './outcome.js';
import { mayResend, type RetryOptions, withRetries } from './retry.js';

export interface HttpClientOptions extends AttemptOptions {
  /** Time limit of one attempt, in ms. */
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
}

/** Sends the calls of one client: which limits apply, how often it tries, and what `close` aborts. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #attempt: Attempt;
  readonly #lifetime = new Lifetime();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#attempt = new Attempt(options);
  }

  async send<T>(call: Call<T>): Promise<T> {
    const { clock, emit } = this.#options;
    const { endpoint } = call;
    this.#lifetime.throwIfClosed();
    call.signal?.throwIfAborted();
    const { signal, release } = this.#lifetime.track(
      call.signal,
      () => new ClosedError(undefined, outcomeOf(endpoint, active.isOutcomeUnknown)),
    );
    const active = this.#activate(call, signal);
    try {
      const sent = withRetries((attempt) => this.#attempt.run(active, attempt), {
        options: active.retry,
        clock,
        signal,
        mayRetry: (error) => !active.hasNoCredential && mayResend(error, ENDPOINTS[endpoint].resend),
        onRetry: (error, attempt, delayMs) => emit('retry', { endpoint, attempt, delayMs, error }),
      });
      // The signal alone is not enough: a state that never responds ignores it.
      return await abandonOnAbort(sent, signal);
    } finally {
      release();
    }
  }

  /** @throws {ClosedError} after `close`. */
  throwIfClosed(): void {
    this.#lifetime.throwIfClosed();
  }

  /** Waits. @throws {ClosedError} the client is closed, before or during the wait. */
  async pause(ms: number): Promise<void> {
    const { signal, release } = this.#lifetime.track();
    try {
      await this.#options.clock.sleep(ms, signal);
    } finally {
      release();
    }
  }

  /** Aborts the calls in progress with `ClosedError`, then closes the sockets. */
  close(): Promise<void> {
    return this.#lifetime.close(() => this.#options.transport.close());
  }

  /** The limits of one call; those that it does not set are the client's. */
  #activate<T>(call: Call<T>, signal: AbortSignal): ActiveCall<T> {
    const { clock, timeoutMs } = this.#options;
    const own = { ...this.#options.retry, ...call.retry };
    const retry = {
      ...own,
      attempts: Math.min(own.attempts, call.attempts ?? own.attempts),
      deadlineMs: Math.min(own.deadlineMs, call.deadlineMs ?? own.deadlineMs),
    };
    return {
      call,
      signal,
      timeoutMs: call.timeoutMs ?? timeoutMs,
      retry,
      deadlineAt: clock.monotonic() + retry.deadlineMs,
      isOutcomeUnknown: false,
      hasNoCredential: false,
    };
  }
}
