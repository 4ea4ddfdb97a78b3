import type { EndpointName } from '../hub/endpoints.js';
import { HubError, type HubErrorOptions } from './hub-error.js';

/** What an `ApiError` is made of. */
export interface ApiErrorOptions extends HubErrorOptions {
  /** The endpoint that responded. */
  readonly endpoint: EndpointName;
  /** HTTP status. */
  readonly status: number;
  /** Attempts made, the first included; the one replay after a 401 is part of its attempt. */
  readonly attempts: number;
  /** The beginning of the response body. */
  readonly body: string;
  /** What the hub says is wrong. Absent: the body does not say it. */
  readonly title?: string;
  /** The hub's id of the request. Absent: the hub sent none. */
  readonly requestId?: string;
}

/** Base class of the errors for a status that is not successful (Spec §7). */
export abstract class ApiError extends HubError {
  /** @hidden */
  static override readonly name: string = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** The endpoint that responded. */
  readonly endpoint: EndpointName;
  /** Attempts made, the first included; the one replay after a 401 is part of its attempt. */
  readonly attempts: number;
  /**
   * The response body, cut to 4 KiB, with secrets masked. It may contain a customer's data, so nothing shows it by
   * itself: it is not enumerable, and in no log line, `toJSON` or inspection.
   */
  declare readonly body: string;
  /** What the hub says is wrong, at most 200 characters: the `title` of its body, or `message`, `error`, … at other hosts. */
  declare readonly title?: string;
  /** The hub's id of the request, for its support: the first of x-request-id, x-correlation-id, traceparent, cf-ray. */
  declare readonly requestId?: string;

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options);
    this.status = options.status;
    this.endpoint = options.endpoint;
    this.attempts = options.attempts;
    const { body } = options;
    // A getter of its own: an inspection with hidden properties does not show the value either.
    Object.defineProperty(this, 'body', { get: () => body });
    if (options.title !== undefined) this.title = options.title;
    if (options.requestId !== undefined) this.requestId = options.requestId;
  }
}

/** 400: a parameter is missing or invalid. `body` is the hub's explanation; correct the call. */
export class BadRequestError extends ApiError {
  /** @hidden */
  static override readonly name: string = 'BadRequestError';
  readonly code = 'bad_request';
}

/**
 * 401 or 403: the hub refused a credential. Correct the credential that `which` names.
 *
 * The call was not retried, except once with a new token after a 401.
 */
export class AuthenticationError extends ApiError {
  /** @hidden */
  static override readonly name: string = 'AuthenticationError';
  readonly code = 'authentication';
  /** What the hub refused. `token`: the client id or secret. `bearer`: a new token. `apiKey`: the API key. */
  readonly which: 'token' | 'bearer' | 'apiKey';

  constructor(message: string, options: ApiErrorOptions & { which: 'token' | 'bearer' | 'apiKey' }) {
    super(message, options);
    this.which = options.which;
  }
}

/** 404: the order does not exist, or `baseUrl` or `basePath` is wrong. */
export class NotFoundError extends ApiError {
  /** @hidden */
  static override readonly name: string = 'NotFoundError';
  readonly code = 'not_found';
}

/** 429, or a request that this client did not send because the hub would have answered 429 (Spec §8). */
export class RateLimitError extends ApiError {
  /** @hidden */
  static override readonly name: string = 'RateLimitError';
  readonly code = 'rate_limit';
  /** How long to wait before the next attempt, in ms. */
  readonly retryAfterMs: number;
  /** `hub`: the hub responded with 429. `local`: nothing was sent; `status` is 429 too, as the hub would respond. */
  readonly origin: 'hub' | 'local';

  constructor(message: string, options: ApiErrorOptions & { retryAfterMs: number; origin: 'hub' | 'local' }) {
    super(message, { retryable: true, ...options });
    this.retryAfterMs = options.retryAfterMs;
    this.origin = options.origin;
  }
}

/** 5xx: the hub failed. Requests that are safe to repeat have been retried; try again later. */
export class ServerError extends ApiError {
  /** @hidden */
  static override readonly name: string = 'ServerError';
  readonly code = 'server';

  constructor(message: string, options: ApiErrorOptions) {
    super(message, { retryable: true, ...options });
  }
}

/**
 * Any other status. A 3xx is never followed: check `baseUrl`. A 422 of a
 * command means that the order's current state does not allow it (Spec §4.5).
 */
export class UnexpectedStatusError extends ApiError {
  /** @hidden */
  static override readonly name: string = 'UnexpectedStatusError';
  readonly code = 'unexpected_status';
}
