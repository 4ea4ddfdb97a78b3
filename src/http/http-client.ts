import { Lifetime } from '../async/lifetime.js';
import { ENDPOINTS } from '../endpoints.js';
import { ClosedError } from '../errors.js';
import { ActiveCall, type CallLimits } from './active-call.js';
import { Attempt, type AttemptOptions } from './attempt.js';
import type { Call } from './call.js';
import { mayResend, sendAgain } from './retry.js';

export interface HttpClientOptions extends AttemptOptions, CallLimits {
  /** Whether other clients use the transport too: `close` leaves it open. Default: false. */
  readonly sharesTransport?: boolean;
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
    this.#lifetime.throwIfClosed();
    call.signal?.throwIfAborted();
    const active = new ActiveCall(call, this.#options, this.#options.clock);
    const abort = () => active.abort(new ClosedError());
    this.#lifetime.add(abort);
    try {
      return await this.#attempt.run(active, 1);
    } catch (first) {
      return await this.#sendAgain(active, first).catch((error: unknown) => {
        throw active.errorOf(error);
      });
    } finally {
      this.#lifetime.delete(abort);
      active.release();
    }
  }

  /** Whether no call is in progress. */
  get isIdle(): boolean {
    return this.#lifetime.isIdle;
  }

  /** @throws {ClosedError} after `close`. */
  throwIfClosed(): void {
    this.#lifetime.throwIfClosed();
  }

  /** Waits. @throws {ClosedError} the client is closed, before or during the wait. */
  async pause(ms: number): Promise<void> {
    this.#lifetime.throwIfClosed();
    const controller = new AbortController();
    const abort = () => controller.abort(new ClosedError());
    this.#lifetime.add(abort);
    try {
      await this.#options.clock.sleep(ms, controller.signal);
    } finally {
      this.#lifetime.delete(abort);
    }
  }

  /** Aborts the calls in progress with `ClosedError`, then closes the sockets. */
  close(): Promise<void> {
    const { sharesTransport, transport } = this.#options;
    return this.#lifetime.close(async () => {
      if (!sharesTransport) await transport.close();
    });
  }

  #sendAgain<T>(active: ActiveCall<T>, error: unknown): Promise<T> {
    const { clock, traffic } = this.#options;
    const { endpoint } = active.call;
    return sendAgain((attempt) => this.#attempt.run(active, attempt), error, {
      options: active.retry,
      clock,
      startedAt: active.startedAt,
      signal: () => active.signal,
      mayRetry: (failure) => !active.hasNoCredential && mayResend(failure, ENDPOINTS[endpoint].resend),
      onRetry: (failure, attempt, delayMs) =>
        traffic.emit('retry', { endpoint, attempt, delayMs, error: failure }),
    });
  }
}
