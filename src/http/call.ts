import type { EndpointName } from '../endpoints.js';
import type { HubError } from '../errors.js';
import type { CallOptions } from './call-options.js';
import type { PathParameters } from './endpoint-url.js';
import type { HubResponse } from './response.js';
import type { LeaseKeeper, Patience } from './slot-queue.js';

/** The events of the client's HTTP traffic. They never contain a header, a body or a secret. */
export type TrafficEvents = {
  /** A request is about to be sent. */
  request: {
    /** The endpoint. */
    readonly endpoint: EndpointName;
    /** HTTP method. */
    readonly method: string;
    /** The number of the attempt, from 1. */
    readonly attempt: number;
  };
  /** A response was received. */
  response: {
    /** The endpoint. */
    readonly endpoint: EndpointName;
    /** HTTP status. */
    readonly status: number;
    /** The number of the attempt, from 1. */
    readonly attempt: number;
    /** How long the exchange took, in ms. */
    readonly durationMs: number;
    /** The hub's own id of the request, for its support: see `ApiError`. */
    readonly requestId?: string;
  };
  /** A request failed, and is sent again after `delayMs`. */
  retry: {
    /** The endpoint. */
    readonly endpoint: EndpointName;
    /** The number of the coming attempt. */
    readonly attempt: number;
    /** How long the client waits before it, in ms. */
    readonly delayMs: number;
    /** Why the last attempt failed. */
    readonly error: HubError;
  };
  /** The hub responded with 429; the endpoint is blocked for `retryAfterMs`. */
  rateLimited: {
    /** The endpoint. */
    readonly endpoint: EndpointName;
    /** How long the endpoint is blocked, in ms. */
    readonly retryAfterMs: number;
  };
};

/** Emits the traffic of one client. */
export interface Traffic {
  /** Whether anybody observes it: without listeners no payload is made. */
  has(name: keyof TrafficEvents): boolean;
  emit<Name extends keyof TrafficEvents>(name: Name, payload: TrafficEvents[Name]): void;
}

/** The credential of one request. */
export interface Authorization {
  readonly header: readonly [name: string, value: string];
  /** Called when the hub rejects the credential. Resolves to true if there is another one, for one replay. */
  onRejected(signal: AbortSignal): Promise<boolean>;
}

/** A call of one endpoint, as the features describe it. */
export interface Call<T> extends Omit<CallOptions, 'signal'> {
  /** Ends the call, which then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly endpoint: EndpointName;
  /** Default: the endpoint's own. */
  readonly method?: 'PATCH';
  /** For an endpoint whose path has placeholders. */
  readonly parameters?: PathParameters;
  /** Percent-encoded, without the question mark. */
  readonly query?: string;
  /** Beside those of the client. The same object each time saves the work of preparing them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string;
  readonly contentType?: string;
  /** At most this many, whatever `retry.attempts` says; for callers that schedule their own retries. */
  readonly attempts?: number;
  /** Default: the client's. */
  readonly patience?: Patience | undefined;
  /** At most this long, whatever `retry.deadlineMs` says. */
  readonly deadlineMs?: number;
  /** At most this many of the endpoint's slots may be taken. */
  readonly limit?: number;
  /** Acquired or renewed together with the slot. */
  readonly lease?: LeaseKeeper;
  /** Called when the slot is granted, immediately before the request is sent. */
  readonly onSend?: () => void;
  /** Reads a 2xx response. */
  readonly read: (response: HubResponse) => T | Promise<T>;
}
