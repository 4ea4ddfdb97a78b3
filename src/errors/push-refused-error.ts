import { HubError, type HubErrorOptions } from './hub-error.js';

/**
 * A request that should be a push of the hub is not accepted: answer it with `status`. Its events were not handled.
 *
 * - 400: the body is not an event in JSON.
 * - 401: the header `X-App-Signature` is missing.
 * - 403: the signature is wrong, or `createdAt` is missing, unreadable or too far from the present time.
 * - 404: the fleet does not have the store.
 * - 405: the method is not POST.
 * - 408: the body did not arrive within 30 seconds.
 * - 413: the body has more than 256 kB.
 * - 503: it can be sent again later; or its raw bytes are missing, then the message says what to configure.
 */
export class PushRefusedError extends HubError {
  /** @hidden */
  static override readonly name: string = 'PushRefusedError';
  readonly code = 'push_refused';
  /** The HTTP status for the response. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 503;

  constructor(status: PushRefusedError['status'], message: string, options: HubErrorOptions = {}) {
    super(message, { retryable: status === 408 || status === 503, ...options });
    this.status = status;
  }
}
