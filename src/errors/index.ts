import type {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
} from './api-errors.js';
import type { CartError } from './cart-error.js';
import {
  type ClosedError,
  ConfigurationError,
  type LeaseLostError,
  type PushRefusedError,
  type StateError,
} from './client-errors.js';
import { BRAND } from './hub-error.js';
import {
  ConnectionError,
  type InvalidResponseError,
  type ResponseTooLargeError,
  type TimeoutError,
} from './request-errors.js';

export * from './api-errors.js';
export * from './cart-error.js';
export * from './client-errors.js';
export { HubError, type HubErrorOptions } from './hub-error.js';
export type { Issue, IssueAgainst } from './issue.js';
export * from './request-errors.js';

/** Every error class that this package throws: `switch` on `code`, and TypeScript knows the fields. */
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
  | ClosedError
  | PushRefusedError;

/** Whether `error` is an error of this package, also of another copy of it. */
export function isHubError(error: unknown): error is AnyHubError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/**
 * Whether the cause is in this process: a broken fetch, a module that cannot be
 * loaded, an invalid option. Then waiting does not help. What the function of a secret throws may pass.
 */
export function isLocalFailure(error: unknown): boolean {
  if (error instanceof ConnectionError) return !error.retryable;
  return error instanceof ConfigurationError;
}
