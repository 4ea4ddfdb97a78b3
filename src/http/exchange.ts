import { abandonOnAbort } from '../async/abort.js';
import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';
import { ENDPOINTS } from '../endpoints.js';
import { type HubError, ResponseTooLargeError, TimeoutError } from '../errors.js';
import type { EndpointTable } from '../host-endpoints.js';
import type { RequestSigner } from '../host-profile.js';
import type { Redactor } from '../secrets/redactor.js';
import { REQUEST } from '../tracing/channels.js';
import { isTraced, trace } from '../tracing/operation.js';
import type { ActiveCall } from './active-call.js';
import type { Authorization, Call, Traffic } from './call.js';
import { type ErrorResponse, errorOf, titleOf } from './classify.js';
import { connectionErrorOf } from './connection-error.js';
import { ExchangeFailure } from './exchange-failure.js';
import type { Governor } from './governor.js';
import type { Slot } from './lane.js';
import { isRejection, outcomeOf } from './outcome.js';
import { waitAfter429Ms } from './quota.js';
import { requestIdOf } from './request-id.js';
import { RequestParts, type RequestPartsOptions } from './request-parts.js';
import { type HubResponse, MAX_ERROR_BYTES, textOf } from './response.js';
import { growthMs, type RetryOptions } from './retry.js';
import { readRetryAfterMs } from './retry-after.js';
import { signed } from './signing.js';
import type { RawRequest, RawResponse, Transport } from './transport.js';

/** At most this many characters of an error page are kept in its error, and of what it says is wrong. */
const MAX_KEPT_CHARACTERS = 4096;
const MAX_TITLE_CHARACTERS = 200;

export interface ExchangeOptions extends RequestPartsOptions {
  readonly endpoints: EndpointTable;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly governor: Governor;
  readonly redactor: Redactor;
  readonly maxResponseBytes: { readonly merchant: number; readonly other: number };
  readonly traffic: Traffic;
  /** Signs every request. */
  readonly sign?: RequestSigner | undefined;
  /** The store, in a fleet. */
  readonly storeId?: string | undefined;
}

export interface ExchangeResult extends HubResponse {
  /** What the status means; undefined if it is 2xx. */
  readonly error: HubError | undefined;
}

const methodOf = ({ method, endpoint }: Call<unknown>) => method ?? ENDPOINTS[endpoint].method;

/** Sends one request and receives its response: keeps the deadline, applies the limits in the response, and leaves the transport. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #parts: RequestParts;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#parts = new RequestParts(options);
  }

  /**
   * @throws {ConnectionError} there is no response.
   * @throws {TimeoutError} the response is not complete within the call's `timeoutMs`.
   * @throws {ResponseTooLargeError} a 2xx body is larger than `maxResponseBytes`.
   */
  run(
    active: ActiveCall<unknown>,
    attempt: number,
    authorization: Authorization | undefined,
    slot: Slot,
  ): Promise<ExchangeResult> {
    if (!isTraced(REQUEST)) return this.#run(active, attempt, authorization, slot);
    const { endpoint } = active.call;
    const { storeId } = this.#options;
    const context = { storeId, endpoint, method: methodOf(active.call), attempt };
    return trace(REQUEST, context, async (traced) => {
      const result = await this.#run(active, attempt, authorization, slot);
      traced.status = result.status;
      if (result.error) traced.error = result.error;
      return result;
    });
  }

  async #run(
    active: ActiveCall<unknown>,
    attempt: number,
    authorization: Authorization | undefined,
    slot: Slot,
  ): Promise<ExchangeResult> {
    const { clock, governor, traffic, transport } = this.#options;
    const { call, timeoutMs } = active;
    const { endpoint } = call;
    const method = methodOf(call);
    const release = clock.hold?.();
    let isSent = false;
    let hasResponse = false;
    let cancelTimer: (() => void) | undefined;
    try {
      cancelTimer = startTimer(clock, timeoutMs, () =>
        active.endAttempt(
          isSent
            ? new TimeoutError(endpoint, timeoutMs, outcomeOf(endpoint, true))
            : new TimeoutError('sign', timeoutMs),
        ),
      );
      const request = await this.#requestOf(active, authorization);
      active.signal.throwIfAborted();
      isSent = true;
      call.onSend?.();
      active.isOutcomeUnknown = true;
      traffic.emit('request', { endpoint, method, attempt });
      const startedAt = clock.now();
      const startedMonotonic = clock.monotonic();
      const response = await transport.exchange(request, active.signal);
      cancelTimer();
      hasResponse = true;
      const { status } = response;
      // A client that closes during the next waits can now say that the hub did nothing.
      if (isRejection(status)) active.isOutcomeUnknown = false;
      const isGood = status >= 200 && status < 300;
      const requestId =
        isGood && !traffic.has('response') ? undefined : requestIdOf(response.header, this.#options.redactor);
      if (traffic.has('response')) {
        const durationMs = clock.monotonic() - startedMonotonic;
        traffic.emit('response', { endpoint, status, attempt, durationMs, ...requestId });
      }
      if (response.cut && isGood) {
        throw new ResponseTooLargeError(endpoint, request.maxBytes, outcomeOf(endpoint, true));
      }
      const retryAfterMs = status === 429 ? await this.#block(slot, response, active.retry) : 0;
      if (status !== 429) governor.applyHeaders(slot, response.header);
      const error = isGood
        ? undefined
        : this.#refusalOf(response, { endpoint, attempts: attempt, retryAfterMs, ...requestId });
      const { header, body, cut } = response;
      return { status, header, body, cut, startedAt, startedMonotonic, error };
    } catch (error) {
      throw this.#errorOf(active, error);
    } finally {
      cancelTimer?.();
      transport.leave();
      const settled = isSent ? governor.settle(slot, hasResponse) : governor.release(slot);
      // The response does not wait for the state: a slot that is settled late is taken longer than necessary, never shorter.
      if (settled && release) void settled.finally(release);
      else release?.();
    }
  }

  async #requestOf(
    { call, signal }: ActiveCall<unknown>,
    authorization: Authorization | undefined,
  ): Promise<RawRequest> {
    const { maxResponseBytes, redactor, sign } = this.#options;
    const request: RawRequest = {
      method: methodOf(call),
      target: this.#parts.target(call),
      headers: this.#parts.headers(call, authorization),
      body: call.body,
      maxBytes: call.endpoint === 'merchant' ? maxResponseBytes.merchant : maxResponseBytes.other,
      maxErrorBytes: MAX_ERROR_BYTES,
    };
    return sign ? abandonOnAbort(signed(request, sign, call.endpoint, redactor), signal) : request;
  }

  /** @returns for how long the endpoint is blocked, in ms. */
  async #block(slot: Slot, { header }: RawResponse, retry: RetryOptions): Promise<number> {
    const { clock, endpoints, governor, traffic } = this.#options;
    const { endpoint } = slot;
    const askedMs = readRetryAfterMs(header, clock.now()) ?? waitAfter429Ms(endpoint, endpoints[endpoint]);
    const retryAfterMs = await governor.block(slot, askedMs, (count) => growthMs(retry, count));
    traffic.emit('rateLimited', { endpoint, retryAfterMs });
    return retryAfterMs;
  }

  #refusalOf(
    response: RawResponse,
    failure: Pick<ErrorResponse, 'endpoint' | 'attempts' | 'retryAfterMs'>,
  ): HubError {
    const { endpoint } = failure;
    const { status } = response;
    const { redactor } = this.#options;
    const page = textOf(response);
    const title = titleOf(page);
    const shown = {
      body: redactor.mask(page, MAX_KEPT_CHARACTERS),
      ...(title !== undefined && { title: redactor.mask(title, MAX_TITLE_CHARACTERS) }),
    };
    const outcome = outcomeOf(endpoint, !isRejection(status));
    return errorOf({ ...failure, status, ...shown, ...outcome }, ENDPOINTS[endpoint].auth);
  }

  #errorOf(active: ActiveCall<unknown>, error: unknown): unknown {
    if (!(error instanceof ExchangeFailure)) return error;
    if (!error.mayHaveReachedHub) active.isOutcomeUnknown = false;
    return connectionErrorOf(active.call.endpoint, error, this.#options.redactor);
  }
}
