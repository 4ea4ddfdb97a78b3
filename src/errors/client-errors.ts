import { HubError, type HubErrorOptions } from './hub-error.js';

/**
 * An option, argument or environment variable is missing or invalid; nothing
 * was sent. The message says what to pass instead.
 */
export class ConfigurationError extends HubError {
  /** @hidden */
  static override readonly name: string = 'ConfigurationError';
  readonly code = 'configuration';
  /** The name of the option or argument; for a nested option with a dot: `retry.attempts`. */
  readonly option: string;

  constructor(option: string, message: string, options: HubErrorOptions = {}) {
    super(`${option}: ${message}`, options);
    this.option = option;
  }
}

/**
 * A call to the shared `state` (a file, Redis, Postgres) failed. No polls are sent
 * until the state works again; the events wait at the hub.
 */
export class StateError extends HubError {
  /** @hidden */
  static override readonly name: string = 'StateError';
  readonly code = 'state';

  constructor(message: string, options: HubErrorOptions = {}) {
    super(message, { retryable: true, ...options });
  }
}

/**
 * The poller lost the store's lease: another poller has it, or it could not be
 * renewed in time. The `context.signal` of the poller's listeners aborts with this
 * error as its reason. Stop the work: another poller may be handling the same event.
 */
export class LeaseLostError extends HubError {
  /** @hidden */
  static override readonly name: string = 'LeaseLostError';
  readonly code = 'lease_lost';
  /** When the other poller's lease ends unless it is renewed, in ms from now; 0 if that is unknown. */
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super(
      "the store's lease is lost and another poller may be handling its events; stop the listener's work: its event runs again",
      { retryable: true },
    );
    this.retryAfterMs = retryAfterMs;
  }
}

/** The client was closed (create a new one), or the poller was stopped (start it again), before the call was done. */
export class ClosedError extends HubError {
  /** @hidden */
  static override readonly name: string = 'ClosedError';
  readonly code = 'closed';

  constructor(message = 'the client is closed; create a new HubClient', options: HubErrorOptions = {}) {
    super(message, options);
  }
}

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
