import type { EndpointName } from './endpoints.js';

/** A deviation of a document: where, which kind, and in words. */
export interface Issue {
  /** Keys and indices from the document's root, as the hub sent them. */
  readonly path: ReadonlyArray<string | number>;
  /** A literal to switch on; see `IssueCode` for those of our own readers. */
  readonly code: string;
  readonly message: string;
}

const BRAND = Symbol.for('opendelivery-client.HubError');

export interface HubErrorOptions {
  readonly cause?: unknown;
  readonly retryable?: boolean;
  readonly outcome?: 'unknown';
}

/**
 * Every error this package makes. `code` is a literal to switch on, `retryable`
 * says whether the same call may succeed later without a change.
 */
export abstract class HubError extends Error {
  abstract readonly code: string;
  readonly retryable: boolean;
  /** Set where a command may have been carried out although it failed here (Spec §4.5). */
  declare readonly outcome?: 'unknown';

  constructor(message: string, options: HubErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.retryable = options.retryable ?? false;
    if (options.outcome) this.outcome = options.outcome;
    Object.defineProperty(this, BRAND, { value: true });
    Object.defineProperty(this, 'name', { enumerable: false });
  }

  /** A plain object for logs: name, code, message and the fields of the class, without the stack. */
  toJSON(): Record<string, unknown> {
    return Object.assign({} as Record<string, unknown>, { name: this.name, message: this.message }, this);
  }
}

/** Whether `error` is one of ours, also when it comes from another copy of this package. */
export function isHubError(error: unknown): error is AnyHubError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** An option, argument or environment variable is missing or wrong; nothing was sent. */
export class ConfigurationError extends HubError {
  readonly code = 'configuration';
  /** The option or argument it is about, with dots for nested ones. */
  readonly option: string;

  constructor(option: string, message: string, options: HubErrorOptions = {}) {
    super(`${option}: ${message}`, options);
    this.option = option;
  }
}

/**
 * Whether neither the hub nor the network is the cause: a broken fetch, a
 * module that cannot be loaded, a wrong option, a bug. Waiting does not help.
 */
export function isLocalFailure(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.retryable;
  return error instanceof ConfigurationError || !(error instanceof HubError);
}

/** No connection, or it broke before the whole answer was there. */
export class ConnectionError extends HubError {
  readonly code = 'connection';
  readonly endpoint: EndpointName;
  /** False where the request provably never reached the hub: refused, no such name, no TLS. */
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

/**
 * One attempt took longer than `timeoutMs`, from connecting to the last byte of
 * the body; or a listener took longer than `listenerTimeoutMs`.
 */
export class TimeoutError extends HubError {
  readonly code = 'timeout';
  readonly operation: EndpointName | 'listener';
  readonly timeoutMs: number;

  constructor(operation: EndpointName | 'listener', timeoutMs: number, options: HubErrorOptions = {}) {
    const what = operation === 'listener' ? 'a listener has not settled' : `${operation}: no complete answer`;
    super(`${what} within ${timeoutMs} ms`, { retryable: true, ...options });
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/** The answer, counted after decompression, was larger than `maxResponseBytes` and was cut off. */
export class ResponseTooLargeError extends HubError {
  readonly code = 'response_too_large';
  readonly endpoint: EndpointName;
  readonly maxBytes: number;

  constructor(endpoint: EndpointName, maxBytes: number, options: HubErrorOptions = {}) {
    super(
      `${endpoint}: the answer is larger than ${maxBytes} bytes; raise maxResponseBytes if that is expected`,
      options,
    );
    this.endpoint = endpoint;
    this.maxBytes = maxBytes;
  }
}

/** A successful status with a body that cannot be used; `issues` says why. */
export class InvalidResponseError extends HubError {
  readonly code = 'invalid_response';
  readonly endpoint: EndpointName;
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

export interface ApiErrorOptions extends HubErrorOptions {
  readonly endpoint: EndpointName;
  readonly status: number;
  /** Tries made, the first included; the one replay after a 401 is part of its try. */
  readonly attempts: number;
  /** What the hub wrote, cut to 4 KiB and with every secret taken out. */
  readonly body: string;
  readonly requestId?: string;
}

/** The hub answered with a status that is no success (Spec §7). */
export abstract class ApiError extends HubError {
  readonly status: number;
  readonly endpoint: EndpointName;
  /** Tries made, the first included; the one replay after a 401 is part of its try. */
  readonly attempts: number;
  /** What the hub wrote, cut to 4 KiB and with every secret taken out. */
  readonly body: string;
  /** The hub's id of the request, for its support: the first of x-request-id, x-correlation-id, traceparent, cf-ray. */
  declare readonly requestId?: string;

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options);
    this.status = options.status;
    this.endpoint = options.endpoint;
    this.attempts = options.attempts;
    this.body = options.body;
    if (options.requestId !== undefined) this.requestId = options.requestId;
  }
}

/** 400: a parameter is missing or invalid. */
export class BadRequestError extends ApiError {
  readonly code = 'bad_request';
}

/** 401 or 403: the hub refused the credentials, the token or the API key; `which` says which. */
export class AuthenticationError extends ApiError {
  readonly code = 'authentication';
  readonly which: 'token' | 'bearer' | 'apiKey';

  constructor(message: string, options: ApiErrorOptions & { which: 'token' | 'bearer' | 'apiKey' }) {
    super(message, options);
    this.which = options.which;
  }
}

/** 404: no such order, or the base URL or base path is wrong. */
export class NotFoundError extends ApiError {
  readonly code = 'not_found';
}

/** 429, or a request this client held back because the hub would have answered 429 (Spec §8). */
export class RateLimitError extends ApiError {
  readonly code = 'rate_limit';
  /** How long to wait before the next try. */
  readonly retryAfterMs: number;
  /** `hub`: the hub answered 429. `local`: nothing was sent, `status` is what it would have been. */
  readonly origin: 'hub' | 'local';

  constructor(message: string, options: ApiErrorOptions & { retryAfterMs: number; origin: 'hub' | 'local' }) {
    super(message, { retryable: true, ...options });
    this.retryAfterMs = options.retryAfterMs;
    this.origin = options.origin;
  }
}

/** 5xx: the hub failed. */
export class ServerError extends ApiError {
  readonly code = 'server';

  constructor(message: string, options: ApiErrorOptions) {
    super(message, { retryable: true, ...options });
  }
}

/** Any other status; a redirect is never followed. */
export class UnexpectedStatusError extends ApiError {
  readonly code = 'unexpected_status';
}

/**
 * What stands against one part of a cart.
 *
 * - `unknown_offer`, `unknown_group`, `unknown_option`: the menu has none with this id, there.
 * - `unavailable_offer`, `unavailable_group`, `unavailable_option`: its status, or what it belongs to, says so.
 * - `closed`: it is not within its hours at the instant asked for.
 * - `too_few_options`, `too_many_options`, `too_many_of_option`: outside `minPermitted` and `maxPermitted`.
 * - `invalid_quantity`: not a whole number of at least 1.
 * - `unusable_price`, `currency_mismatch`, `unknown_price_method`: the document does not allow a price.
 * - `below_minimum`: the cart is worth less than the store's `minOrderValue`.
 * - `empty`: there is nothing in the cart.
 */
export type CartFaultCode =
  | 'unknown_offer'
  | 'unknown_group'
  | 'unknown_option'
  | 'unavailable_offer'
  | 'unavailable_group'
  | 'unavailable_option'
  | 'closed'
  | 'too_few_options'
  | 'too_many_options'
  | 'too_many_of_option'
  | 'invalid_quantity'
  | 'unusable_price'
  | 'currency_mismatch'
  | 'unknown_price_method'
  | 'below_minimum'
  | 'empty';

export interface CartFault {
  readonly code: CartFaultCode;
  /** Keys and indices from the root of what was to be priced. */
  readonly path: ReadonlyArray<string | number>;
  readonly message: string;
  readonly offerId?: string;
  readonly groupId?: string;
  readonly optionId?: string;
}

/** A cart that cannot be had as it is; `faults` lists everything that is wrong, at once. */
export class CartError extends HubError {
  readonly code = 'cart';
  readonly faults: readonly CartFault[];

  constructor(faults: readonly CartFault[]) {
    const [first] = faults;
    const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
    super(`the cart cannot be priced: ${first?.message ?? 'it is wrong'}${more}`);
    this.faults = faults;
  }
}

/** The shared `state` (a file, Redis) did not answer. */
export class StateError extends HubError {
  readonly code = 'state';

  constructor(message: string, options: HubErrorOptions = {}) {
    super(message, { retryable: true, ...options });
  }
}

/**
 * The poller no longer has the store's lease: another one has it, or it could
 * not be renewed in time. Its listeners' `context.signal` aborts with this;
 * another poller may be running the same event.
 */
export class LeaseLostError extends HubError {
  readonly code = 'lease_lost';
  /** How long the other poller has the lease unless it renews it; 0 where that is not known. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super(
      "the store's lease is lost, another poller may handle its events now; stop what the listener does, its event comes again",
      { retryable: true },
    );
    this.retryAfterMs = retryAfterMs;
  }
}

/** The client, or what it was doing, was closed. */
export class ClosedError extends HubError {
  readonly code = 'closed';

  constructor(what = 'the client is closed; make a new HubClient', options: HubErrorOptions = {}) {
    super(what, options);
  }
}

/** The union behind `isHubError`: switch on `code` and the fields follow. */
export type AnyHubError =
  | ConfigurationError
  | ConnectionError
  | TimeoutError
  | ResponseTooLargeError
  | InvalidResponseError
  | BadRequestError
  | AuthenticationError
  | NotFoundError
  | RateLimitError
  | ServerError
  | UnexpectedStatusError
  | CartError
  | StateError
  | LeaseLostError
  | ClosedError;
