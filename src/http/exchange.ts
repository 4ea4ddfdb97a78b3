import { abandonOnAbort, linkedController } from '../async/abort.js';
import type { Clock } from '../clock.js';
import { ENDPOINTS, type EndpointName } from '../endpoints.js';
import { ConnectionError, ResponseTooLargeError, TimeoutError } from '../errors.js';
import type { Redactor } from '../secrets/redactor.js';
import type { ActiveCall, Authorization, Received, TrafficEvents } from './call.js';
import { ExchangeFailure } from './exchange-failure.js';
import type { Governor, Slot } from './governor.js';
import { isRefusal, outcomeOf } from './outcome.js';
import { requestIdOf } from './request-id.js';
import { growthMs, type RetryOptions } from './retry.js';
import { readRetryAfterMs } from './retry-after.js';
import type { HubResponse, Transport } from './transport.js';

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly governor: Governor;
  readonly redactor: Redactor;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly maxResponseBytes: { readonly merchant: number; readonly other: number };
  readonly urlOf: (endpoint: EndpointName, path: string) => URL;
  readonly tell: <Name extends keyof TrafficEvents>(name: Name, payload: TrafficEvents[Name]) => void;
}

/** What one exchange brought. */
export interface Exchanged extends Received {
  readonly requestId?: string;
  /** How long a 429 closed the endpoint; 0 without one. */
  readonly shutForMs: number;
}

/** Of an error page, this much is read before the connection is given up. */
export const ERROR_READ_BYTES = 65_536;

/** One request and its response: sends, keeps the deadline, applies the limits that the hub names. */
export class Exchange {
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  async run<T>(
    active: ActiveCall<T>,
    attempt: number,
    authorization: Authorization | undefined,
    slot: Slot,
  ): Promise<Exchanged> {
    const { clock, transport, governor, tell, maxResponseBytes, urlOf, redactor } = this.#options;
    const { call } = active;
    const { endpoint } = call;
    const { method, path } = ENDPOINTS[endpoint];
    const release = clock.hold?.();
    let answered = false;
    try {
      const url = urlOf(endpoint, call.path ?? path);
      const headers = this.#headersOf(active, authorization);
      const maxBytes = endpoint === 'merchant' ? maxResponseBytes.merchant : maxResponseBytes.other;
      call.onSend?.();
      active.isUncertain = true;
      tell('request', { endpoint, method, attempt });
      const startedAt = clock.now();
      const startedMonotonic = clock.monotonic();
      const answer = await this.#withDeadline(active, (deadline) =>
        transport.exchange(
          { method, url, headers, body: call.body, maxBytes, maxErrorBytes: ERROR_READ_BYTES },
          deadline,
        ),
      );
      answered = true;
      const { status } = answer;
      // From here on a client that closes knows that nothing is under way.
      if (isRefusal(status)) active.isUncertain = false;
      const scrub = (text: string) => redactor.text(text);
      const requestId = requestIdOf(answer.header, scrub);
      const durationMs = clock.monotonic() - startedMonotonic;
      tell('response', { endpoint, status, attempt, durationMs, ...requestId });
      if (answer.cut && status >= 200 && status < 300)
        throw new ResponseTooLargeError(endpoint, maxBytes, outcomeOf(endpoint, true));
      const shutForMs = await this.#applyLimits(slot, answer, active.retry);
      return { ...answer, startedAt, startedMonotonic, scrub, ...requestId, shutForMs };
    } finally {
      await governor.settle(slot, answered);
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

  /** Applies the limits that the answer names; how long the endpoint is closed, 0 where it is not. */
  async #applyLimits(slot: Slot, answer: HubResponse, retry: RetryOptions): Promise<number> {
    const { clock, governor, tell } = this.#options;
    const { endpoint } = slot;
    if (answer.status !== 429) {
      governor.accepted(endpoint);
      governor.observe(slot, answer.header);
      return 0;
    }
    const askedMs = readRetryAfterMs(answer.header, clock.now()) ?? ENDPOINTS[endpoint].windowMs;
    const retryAfterMs = await governor.shut(slot, askedMs, (refusals) => growthMs(retry, refusals));
    tell('rateLimited', { endpoint, retryAfterMs });
    return retryAfterMs;
  }

  async #withDeadline(
    active: ActiveCall<unknown>,
    exchange: (signal: AbortSignal) => Promise<HubResponse>,
  ): Promise<HubResponse> {
    const { timeoutMs } = active;
    const { endpoint } = active.call;
    const { controller, release } = linkedController(active.signal);
    const timer = new AbortController();
    this.#options.clock.sleep(timeoutMs, timer.signal).then(
      () => controller.abort(new TimeoutError(endpoint, timeoutMs, outcomeOf(endpoint, true))),
      () => {},
    );
    try {
      // Abandoned too, because a fetch put in place of Node's may ignore its signal.
      return await abandonOnAbort(exchange(controller.signal), controller.signal);
    } catch (error) {
      if (!(error instanceof ExchangeFailure)) throw error;
      if (!error.mayHaveReachedHub) active.isUncertain = false;
      throw this.#connectionError(endpoint, error);
    } finally {
      timer.abort('over');
      release();
    }
  }

  #connectionError(endpoint: EndpointName, failure: ExchangeFailure): ConnectionError {
    const { redactor } = this.#options;
    return new ConnectionError(endpoint, redactor.text(`${endpoint}: ${failure.message}`), {
      cause: redactor.cause(failure.cause),
      retryable: failure.origin === 'network',
      mayHaveReachedHub: failure.mayHaveReachedHub,
      ...outcomeOf(endpoint, failure.mayHaveReachedHub),
    });
  }
}
