import { abandonOnAbort } from '../async/promises.js';
import { type HubError, ResponseTooLargeError, TimeoutError } from '../errors/index.js';
import type { EndpointName } from '../hub/endpoints.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import type { RequestSigner, StatusMeaning } from '../hub/profile.js';
import type { Quotas } from '../quota/quotas.js';
import type { Slot } from '../quota/window.js';
import { type Clock, momentOf, startTimer } from '../time/clock.js';
import { type ActiveCall, endAttempt } from './active-call.js';
import type { HubResponse } from './body.js';
import type { Authorization } from './call.js';
import { ExchangeFailure, isRejection, outcomeOf } from './failure.js';
import { refusalOf, requestIdOf } from './refusal.js';
import { signed } from './request.js';
import { growthMs } from './retry.js';
import type { RawRequest, Transport } from './transport.js';

/** Where the hub is; see `HubClientOptions`. */
export interface HubAddress {
  readonly baseUrl: string;
  readonly basePath: string;
  /** Endpoints with an address of their own. */
  readonly urls: Partial<Record<EndpointName, string>>;
  readonly endpoints: EndpointTable;
}

/** Where a request is sent. */
export interface Target {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly href: string;
}

/** A target's host, as tracing channels name it. */
export interface Server {
  readonly serverAddress: string;
  readonly serverPort: number;
}

const SCHEME_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** The values of the placeholders in an endpoint's path, percent-encoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** The targets of one hub. Those without parameters are made once. */
export class Targets {
  readonly #address: HubAddress;
  readonly #known: Partial<Record<EndpointName, Target>> = {};
  readonly #servers: Partial<Record<EndpointName, Server>> = {};

  constructor(address: HubAddress) {
    this.#address = address;
  }

  /** Where all paths begin. */
  get base(): string {
    const { baseUrl, basePath } = this.#address;
    return baseUrl + basePath;
  }

  of(endpoint: EndpointName, parameters?: PathParameters, query?: string): Target {
    if (parameters || query !== undefined) return targetOf(this.#address, endpoint, parameters, query);
    this.#known[endpoint] ??= targetOf(this.#address, endpoint);
    return this.#known[endpoint];
  }

  serverOf(endpoint: EndpointName): Server {
    this.#servers[endpoint] ??= serverAt(this.#address.urls[endpoint] ?? this.#address.baseUrl);
    return this.#servers[endpoint];
  }
}

function serverAt(url: string): Server {
  const { hostname, port, protocol } = new URL(url);
  // An IPv6 address has brackets in a URL.
  const serverAddress = hostname.replace(/^\[|\]$/g, '');
  return { serverAddress, serverPort: port ? Number(port) : (SCHEME_PORTS[protocol] ?? 0) };
}

function targetOf(
  { baseUrl, basePath, urls, endpoints }: HubAddress,
  endpoint: EndpointName,
  parameters: PathParameters = {},
  query?: string,
): Target {
  const template = endpoints[endpoint].path;
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] as string);
  const below = query === undefined ? path : `${path}?${query}`;
  const { origin, pathname, search, href } = new URL(urls[endpoint] ?? baseUrl + basePath + below);
  return { origin, path: pathname + search, href };
}

export interface ExchangeOptions {
  readonly targets: Targets;
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of a 2xx body, in bytes, unless the call has its own. */
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly quotas: Quotas;
  /** Signs every request. */
  readonly sign?: RequestSigner | undefined;
  /** What a status means at this host. */
  readonly statusMeanings: readonly StatusMeaning[];
}

export interface ExchangeResult extends HubResponse {
  /** What the status means; undefined if it is 2xx. */
  readonly error: HubError | undefined;
}

/**
 * Sends one request and receives its response: keeps the deadline, applies the
 * limits in the response, and leaves the transport.
 *
 * @throws {ConnectionError} there is no response.
 * @throws {TimeoutError} the response is not complete within the call's `timeoutMs`.
 * @throws {ResponseTooLargeError} a 2xx body is larger than its limit.
 */
export async function exchange(
  options: ExchangeOptions,
  active: ActiveCall<unknown>,
  authorization: Authorization | undefined,
  slot: Slot,
): Promise<ExchangeResult> {
  const { clock, quotas, transport } = options;
  const { attempt, call, method, row, sender, timeoutMs } = active;
  const { endpoint } = call;
  const release = clock.hold?.();
  let exchanged: 'answered' | 'unanswered' | 'unsent' = 'unsent';
  let cancelTimer: (() => void) | undefined;
  try {
    cancelTimer = startTimer(clock, timeoutMs, () =>
      endAttempt(
        active,
        exchanged === 'unanswered'
          ? new TimeoutError(endpoint, timeoutMs, outcomeOf(row, true))
          : new TimeoutError('sign', timeoutMs),
      ),
    );
    let request = requestOf(options, active, authorization);
    if (options.sign) {
      request = await abandonOnAbort(
        signed(request, options.sign, endpoint, sender),
        active.controller.signal,
      );
    }
    sender.observers?.emit('request', { endpoint, method, attempt });
    // An observer may have aborted the call.
    active.controller.signal.throwIfAborted();
    call.onSend?.();
    exchanged = 'unanswered';
    active.isOutcomeUnknown = true;
    const sentAt = momentOf(clock);
    const response = await transport.exchange(request, active.controller.signal);
    cancelTimer?.();
    exchanged = 'answered';
    const { status, header, body, cut } = response;
    const isGood = status >= 200 && status < 300;
    // A client that closes during the next waits can now say that the hub did nothing.
    if (!isGood && isRejection(status)) active.isOutcomeUnknown = false;
    const isObserved = sender.observers?.has('response');
    const requestId = isGood && !isObserved ? undefined : requestIdOf(header, sender);
    if (isObserved) {
      const durationMs = clock.monotonic() - sentAt.monotonic;
      sender.observers?.emit('response', { endpoint, status, attempt, durationMs, ...requestId });
    }
    if (cut && isGood) throw new ResponseTooLargeError(endpoint, request.maxBytes, outcomeOf(row, true));
    let retryAfterMs = 0;
    if (status === 429) {
      const growth = (count: number) => growthMs(active.retry, count);
      retryAfterMs = await quotas.block(slot, header, growth, call.maxUnreadMs);
      sender.observers?.emit('rateLimited', { endpoint, retryAfterMs });
    } else quotas.responded(slot, header);
    const error = isGood
      ? undefined
      : refusalOf(
          response,
          row,
          sender,
          { endpoint, attempts: attempt, retryAfterMs, ...requestId },
          options.statusMeanings,
        );
    return { status, header, body, cut, sentAt, error };
  } catch (error) {
    if (!(error instanceof ExchangeFailure)) throw error;
    if (!error.mayHaveReachedHub) active.isOutcomeUnknown = false;
    throw error.toError(endpoint, row, sender);
  } finally {
    cancelTimer?.();
    transport.inFlight?.leave(sender);
    const settled = quotas.settle(slot, exchanged);
    // The response does not wait for the state: a slot that is settled late is taken longer than necessary, never shorter.
    if (settled && release) void settled.finally(release);
    else release?.();
  }
}

function requestOf(
  { headers, maxBytes, targets }: ExchangeOptions,
  { call, method }: ActiveCall<unknown>,
  authorization: Authorization | undefined,
): RawRequest {
  const { body, contentType, endpoint, parameters, query } = call;
  return {
    method,
    target: targets.of(endpoint, parameters, query),
    headers: {
      ...headers,
      ...call.headers,
      ...(contentType && { 'content-type': contentType }),
      ...(authorization && { [authorization.name]: authorization.value }),
    },
    body,
    maxBytes: call.maxBytes ?? maxBytes,
  };
}
