import type { EndpointName } from '../hub/endpoints.js';
import { HubError, type HubErrorOptions } from './hub-error.js';
import type { Issue } from './issue.js';

/**
 * There is no connection to the hub, or it broke before the response was complete.
 *
 * Requests that are safe to repeat have been retried. Check `baseUrl` and the network; `cause` has the details.
 */
export class ConnectionError extends HubError {
  /** @hidden */
  static override readonly name: string = 'ConnectionError';
  readonly code = 'connection';
  /** The endpoint that was called. */
  readonly endpoint: EndpointName;
  /** False if the request provably did not reach the hub: connection refused, unknown host, failed TLS handshake. */
  readonly mayHaveReachedHub: boolean;

  constructor(
    endpoint: EndpointName,
    message: string,
    options: HubErrorOptions & { mayHaveReachedHub: boolean },
  ) {
    super(message, { retryable: true, ...options });
    this.endpoint = endpoint;
    this.mayHaveReachedHub = options.mayHaveReachedHub;
  }
}

/** What a `TimeoutError` is about. */
export type TimedOperation =
  | EndpointName
  | 'listener'
  | 'clientSecret'
  | 'apiKey'
  | 'pushSecrets'
  | 'secrets'
  | 'sign'
  | 'stores'
  | 'nextPoll';

const PROBLEMS: { readonly [Operation in TimedOperation]?: string } = {
  listener: 'a listener has not settled',
  clientSecret: 'the function of clientSecret has not returned',
  apiKey: 'the function of apiKey has not returned',
  pushSecrets: 'a function of pushSecrets has not returned',
  secrets: 'a function of secrets has not returned',
  sign: 'the function `sign` of the profile has not returned',
  stores: 'the stores of the fleet were not read',
  nextPoll: 'new events wait at the hub: the poll that was due was not sent',
};

/**
 * One attempt took longer than `timeoutMs`, from connecting to the last byte of
 * the body; or a listener took longer than `listenerTimeoutMs`.
 */
export class TimeoutError extends HubError {
  /** @hidden */
  static override readonly name: string = 'TimeoutError';
  readonly code = 'timeout';
  /** The endpoint; or what has a time limit too: a listener, a secret's function, `sign` of the profile, the option `stores` of a fleet; or the next poll, whatever keeps it from being sent. */
  readonly operation: TimedOperation;
  /** The limit that was exceeded, in ms. */
  readonly timeoutMs: number;

  constructor(operation: TimedOperation, timeoutMs: number, options: HubErrorOptions = {}) {
    super(`${PROBLEMS[operation] ?? `${operation}: no complete response`} within ${timeoutMs} ms`, {
      retryable: true,
      ...options,
    });
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/** The response was larger than `maxResponseBytes` and was aborted. Raise the option if that size is expected. */
export class ResponseTooLargeError extends HubError {
  /** @hidden */
  static override readonly name: string = 'ResponseTooLargeError';
  readonly code = 'response_too_large';
  /** The endpoint that responded. */
  readonly endpoint: EndpointName;
  /** The limit that was exceeded, in bytes after decompression. */
  readonly maxBytes: number;

  constructor(endpoint: EndpointName, maxBytes: number, options: HubErrorOptions = {}) {
    super(
      `${endpoint}: the response is larger than ${maxBytes} bytes; raise maxResponseBytes if that is expected`,
      options,
    );
    this.endpoint = endpoint;
    this.maxBytes = maxBytes;
  }
}

/**
 * The status was successful, but the body cannot be used.
 *
 * Check `baseUrl` and `basePath`; if they are right, report the `issues` to the hub's operator.
 */
export class InvalidResponseError extends HubError {
  /** @hidden */
  static override readonly name: string = 'InvalidResponseError';
  readonly code = 'invalid_response';
  /** The endpoint that responded. */
  readonly endpoint: EndpointName;
  /** Why the body cannot be used; empty if it is not JSON. */
  readonly issues: readonly Issue[];

  constructor(
    endpoint: EndpointName,
    message: string,
    options: HubErrorOptions & { issues?: readonly Issue[] } = {},
  ) {
    super(`${endpoint}: ${message}`, options);
    this.endpoint = endpoint;
    this.issues = options.issues ?? [];
  }
}
