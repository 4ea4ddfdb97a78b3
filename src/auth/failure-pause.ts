import type { Clock } from '../clock.js';
import { HubError, RateLimitError, TimeoutError } from '../errors.js';
import type { CallOptions } from '../http/call-options.js';

const FIRST_PAUSE_MS = 60_000;

/** A pause after failures in a row: one minute, doubled after each further failure. */
export class FailurePause {
  readonly #clock: Clock;
  readonly #maxMs: number;
  readonly #jitter: number;
  #failures = 0;
  #lastError: unknown;
  /** On the monotonic clock. */
  #until = Number.NEGATIVE_INFINITY;

  /** @param jitter - lengthens each pause by up to this part of it. */
  constructor(clock: Clock, maxMs: number, jitter = 0) {
    this.#clock = clock;
    this.#maxMs = maxMs;
    this.#jitter = jitter;
  }

  get isActive(): boolean {
    return this.#clock.monotonic() < this.#until;
  }

  /** Whether the last attempt failed. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  get lastError(): unknown {
    return this.#lastError;
  }

  failed(error: unknown): void {
    this.#failures += 1;
    this.#lastError = error;
    const pauseMs = Math.min(this.#maxMs, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    this.#until = this.#clock.monotonic() + Math.ceil(pauseMs * (1 + this.#jitter * Math.random()));
  }

  succeeded(): void {
    this.#failures = 0;
    this.#lastError = undefined;
    this.#until = Number.NEGATIVE_INFINITY;
  }
}

/** Whether a failure of a renewal is a reason to pause. A caller's own short time-out says nothing about the hub. */
export function isFaultOfHub(error: unknown, limits: CallOptions): boolean {
  if (!(error instanceof HubError && error.retryable) || error instanceof RateLimitError) return false;
  return !(error instanceof TimeoutError && limits.timeoutMs !== undefined);
}
