import type { EndpointName } from '../endpoints.js';
import type { HubError } from '../errors.js';
import type { CallOptions } from './call-options.js';
import type { LeaseKeeper, Patience } from './governor.js';
import type { RetryOptions } from './retry.js';
import type { HubResponse } from './transport.js';

/** What the client tells of its traffic; never a header, a body or a secret. */
export type TrafficEvents = {
  request: { readonly endpoint: EndpointName; readonly method: string; readonly attempt: number };
  response: {
    readonly endpoint: EndpointName;
    readonly status: number;
    readonly attempt: number;
    readonly durationMs: number;
    /** The hub's own id of the request, for its support: see `ApiError`. */
    readonly requestId?: string;
  };
  retry: {
    readonly endpoint: EndpointName;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: HubError;
  };
  rateLimited: { readonly endpoint: EndpointName; readonly retryAfterMs: number };
};

/** The credential of one request and what to do when the hub refuses it. */
export interface Authorization {
  readonly header: readonly [name: string, value: string];
  /** Resolves to true when another credential is worth one replay. */
  refused(): Promise<boolean>;
}

/** An answer and when its request was sent, on both clocks. */
export interface Received extends HubResponse {
  readonly startedAt: number;
  readonly startedMonotonic: number;
  /** Takes secrets out of a text that quotes the answer. */
  readonly scrub: (text: string) => string;
}

export interface Call<T> extends CallOptions {
  readonly endpoint: EndpointName;
  /** Below the base path, encoded; the endpoint's own path where it has no parameters. */
  readonly path?: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Fewer than `retry.attempts`, for callers with a rhythm of their own. */
  readonly attempts?: number;
  readonly patience?: Patience;
  /** Shorter than `retry.deadlineMs`. */
  readonly deadlineMs?: number;
  /** At most this many of the endpoint's slots may be taken. */
  readonly limit?: number;
  /** Acquired or renewed with the slot. */
  readonly lease?: LeaseKeeper;
  /** Called once a slot is there, right before the request goes out. */
  readonly onSend?: () => void;
  readonly read: (answer: Received) => T | Promise<T>;
}

/** A call under way, with the limits that apply to it. */
export interface ActiveCall<T> {
  readonly call: Call<T>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  /** No wait of this call that would end later is begun; on the monotonic clock. */
  readonly deadlineAt: number;
  /** A request of it is out, and nothing proves that the hub has not carried it out. */
  isUncertain: boolean;
}
