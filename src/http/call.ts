import type { HubError } from '../errors/index.js';
import type { Endpoint, EndpointName } from '../hub/endpoints.js';
import type { LeaseKeeper, Patience, QuotaHolder } from '../quota/request.js';
import type { HubResponse } from './body.js';
import type { CallOptions } from './call-options.js';
import type { PathParameters } from './exchange.js';

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

/** Who sends a request, as http sees it. */
export interface Sender extends QuotaHolder {
  /** The store, in a fleet. */
  readonly storeId: string | undefined;
  /** Undefined if nobody observes the traffic: then no payload is made. */
  readonly observers:
    | {
        has(name: keyof TrafficEvents): boolean;
        emit<Name extends keyof TrafficEvents>(name: Name, payload: TrafficEvents[Name]): void;
      }
    | undefined;
  /** Masks secrets, cuts, and makes it one line. */
  quote(text: string, maxLength?: number): string;
  /** Masks secrets, and cuts. */
  mask(text: string, maxLength: number): string;
  maskError(error: unknown): unknown;
}

/** The credential of one request. */
export interface Authorization {
  /** Of its header. */
  readonly name: string;
  readonly value: string;
  /** Whose quota the request counts against, if it is not the sender's. */
  readonly scope?: string;
  /** The token that it is of. */
  readonly token?: object;
}

/** Where requests get their credentials. */
export interface Authority<By extends Sender> {
  authorize(
    sender: By,
    row: Endpoint,
    signal: AbortSignal,
  ): Authorization | undefined | Promise<Authorization | undefined>;
  /** The hub has rejected the credential. Resolves to true if there is another one, for one replay. */
  replace(sender: By, row: Endpoint, rejected: Authorization, signal: AbortSignal): Promise<boolean>;
}

/** A call of one endpoint, as the features describe it. */
export interface Call<T> extends CallOptions {
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
  /** If the state is unreachable, the request is not sent. Default: this process counts alone then. */
  readonly needsState?: boolean;
  /** The longest wait after a 429 that does not say readably how long to wait. Default: the endpoint's window. */
  readonly maxUnreadMs?: number;
  /** Limit of a 2xx body, in bytes. Default: `maxResponseBytes.other`. */
  readonly maxBytes?: number;
  /** Acquired or renewed together with the slot. */
  readonly lease?: LeaseKeeper;
  /** Called when the slot is granted, immediately before the request is sent. */
  readonly onSend?: () => void;
  /** Reads a 2xx response. Default: its body is not needed. */
  readonly read?: (response: HubResponse) => T | Promise<T>;
}
