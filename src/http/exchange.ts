import { abandonOnAbort, linkedController } from '../async/abort.js';
import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';
import { ENDPOINTS } from '../endpoints.js';
import { ResponseTooLargeError, TimeoutError } from '../errors.js';
import type { Redactor } from '../secrets/redactor.js';
import type { ActiveCall, Authorization, EmitTraffic } from './call.js';
import { connectionErrorOf } from './connection-error.js';
import { endpointUrl, type HubAddress } from './endpoint-url.js';
import { ExchangeFailure } from './exchange-failure.js';
import type { Governor } from './governor.js';
import type { Slot } from './lane.js';
import { isRejection, outcomeOf } from './outcome.js';
import { requestIdOf } from './request-id.js';
import { type HubResponse, MAX_ERROR_BYTES } from './response.js';
import { growthMs, type RetryOptions } from './retry.js';
import { readRetryAfterMs } from './retry-after.js';
import type { RawResponse, Transport } from './transport.js';

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly governor: Governor;
  readonly redactor: Redactor;
  readonly address: HubAddress;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly maxResponseBytes: { readonly merchant: number; readonly other: number };
  readonly emit: EmitTraffic;
}

export interface ExchangeResult extends HubResponse {
  readonly requestId?: string;
  /** For how long a 429 blocked the endpoint, in ms; 0 for any other status. */
  readonly retryAfterMs: number;
}

/** Sends one request and receives its response: keeps the deadline, applies the limits in the response. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #scrub: (text: string) => string;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#scrub = (text) => options.redactor.mask(text);
  }

  /**
   * @throws {ConnectionError} there is no response.
   * @throws {TimeoutError} the response is not complete within the call's `timeoutMs`.
   * @throws {ResponseTooLargeError} a 2xx body is larger than `maxResponseBytes`.
   */
  async run(
    active: ActiveCall<unknown>,
    attempt: number,
    authorization: Authorization | undefined,
    slot: Slot,
  ): Promise<ExchangeResult> {
    const { clock, governor, emit, maxResponseBytes, address } = this.#options;
    const { call } = active;
    const { endpoint } = call;
    const { method, path } = ENDPOINTS[endpoint];
    const release = clock.hold?.();
    let hasResponse = false;
    try {
      const maxBytes = endpoint === 'merchant' ? maxResponseBytes.merchant : maxResponseBytes.other;
      const request = {
        method,
        url: endpointUrl(address, endpoint, call.path ?? path),
        headers: this.#headersOf(active, authorization),
        body: call.body,
        maxBytes,
        maxErrorBytes: MAX_ERROR_BYTES,
      };
      call.onSend?.();
      active.isOutcomeUnknown = true;
      emit('request', { endpoint, method, attempt });
      const startedAt = clock.now();
      const startedMonotonic = clock.monotonic();
      const response = await this.#withDeadline(active, request);
      hasResponse = true;
      const { status } = response;
      // A client that closes during the next waits can now say that the hub did nothing.
      if (isRejection(status)) active.isOutcomeUnknown = false;
      const scrub = this.#scrub;
      const requestId = requestIdOf(response.header, scrub);
      const durationMs = clock.monotonic() - startedMonotonic;
      emit('response', { endpoint, status, attempt, durationMs, ...requestId });
      if (response.cut && status >= 200 && status < 300) {
        throw new ResponseTooLargeError(endpoint, maxBytes, outcomeOf(endpoint, true));
      }
      const retryAfterMs = await this.#applyLimits(slot, response, active.retry);
      return { ...response, startedAt, startedMonotonic, scrub, ...requestId, retryAfterMs };
    } finally {
      await governor.settle(slot, hasResponse);
      release?.();
    }
  }

  #headersOf(
    { call }: ActiveCall<unknown>,
    authorization: Authorization | undefined,
  ): Record<string, string> {
    const { headers, userAgent } = this.#options;
    return {
      accept: 'application/json',
      'user-agent': userAgent,
      ...headers,
      ...(call.contentType && { 'content-type': call.contentType }),
      ...(authorization && { [authorization.header[0]]: authorization.header[1] }),
    };
  }

  /** @returns for how long a 429 blocks the endpoint; 0 for any other status. */
  async #applyLimits(slot: Slot, response: RawResponse, retry: RetryOptions): Promise<number> {
    const { clock, governor, emit } = this.#options;
    const { endpoint } = slot;
    if (response.status !== 429) {
      governor.applyHeaders(slot, response.header);
      return 0;
    }
    const askedMs = readRetryAfterMs(response.header, clock.now()) ?? ENDPOINTS[endpoint].windowMs;
    const retryAfterMs = await governor.block(slot, askedMs, (count) => growthMs(retry, count));
    emit('rateLimited', { endpoint, retryAfterMs });
    return retryAfterMs;
  }

  async #withDeadline(
    active: ActiveCall<unknown>,
    request: Parameters<Transport['exchange']>[0],
  ): Promise<RawResponse> {
    const { clock, transport, redactor } = this.#options;
    const { timeoutMs, call } = active;
    const { endpoint } = call;
    const { controller, release } = linkedController(active.signal);
    const { signal } = controller;
    const cancelTimer = startTimer(clock, timeoutMs, () =>
      controller.abort(new TimeoutError(endpoint, timeoutMs, outcomeOf(endpoint, true))),
    );
    try {
      // The signal alone is not enough: a fetch of the application may ignore it.
      return await abandonOnAbort(transport.exchange(request, signal), signal);
    } catch (error) {
      if (!(error instanceof ExchangeFailure)) throw error;
      if (!error.mayHaveReachedHub) active.isOutcomeUnknown = false;
      throw connectionErrorOf(endpoint, error, redactor);
    } finally {
      cancelTimer();
      release();
    }
  }
}
