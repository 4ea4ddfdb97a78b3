import { abandonOnAbort, type Lifetime, onAbort } from '../async/promises.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import { REQUEST, type RequestTrace } from '../observe/channels.js';
import { isTraced, trace } from '../observe/operation.js';
import type { Patience } from '../quota/request.js';
import type { Slot } from '../quota/window.js';
import { type ActiveCall, abortCall, finalError } from './active-call.js';
import type { Authority, Authorization, Call, Sender } from './call.js';
import type { RetryOptions } from './call-options.js';
import { type ExchangeOptions, type ExchangeResult, exchange } from './exchange.js';
import { sendAgain } from './retry.js';

export interface HttpClientOptions extends ExchangeOptions {
  readonly endpoints: EndpointTable;
  /** Time limit of one attempt, in ms. A call may have its own limits. */
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  /** How long a call waits for its slot, within its deadline. */
  readonly patience: Patience;
}

/** If obtaining the slot (or the credential) took longer than this, obtain the other one again. */
const STALE_MS = 1000;

/** Sends calls: how often it tries, and with which credential and slot each request is sent. */
export class HttpClient {
  readonly #options: HttpClientOptions;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /**
   * @param lifetime - what aborts the call beside its own signal.
   * @param authority - where its credentials are from; undefined if it needs none.
   */
  async send<T, By extends Sender>(
    sender: By,
    call: Call<T>,
    lifetime: Lifetime,
    authority?: Authority<By>,
  ): Promise<T> {
    lifetime.throwIfClosed();
    const { signal } = call;
    signal?.throwIfAborted();
    const { clock, endpoints, timeoutMs } = this.#options;
    const retry = { ...this.#options.retry, ...call.retry };
    const row = endpoints[call.endpoint];
    const active: ActiveCall<T, By> = {
      call,
      sender,
      row,
      method: call.method ?? row.method,
      timeoutMs: call.timeoutMs ?? timeoutMs,
      retry: {
        ...retry,
        attempts: Math.min(retry.attempts, call.attempts ?? retry.attempts),
        deadlineMs: Math.min(retry.deadlineMs, call.deadlineMs ?? retry.deadlineMs),
      },
      startedAt: clock.monotonic(),
      attempt: 1,
      controller: new AbortController(),
      aborted: undefined,
      isOutcomeUnknown: false,
      hasNoCredential: false,
    };
    const stopListening = signal && onAbort(signal, () => abortCall(active, signal.reason));
    const end = lifetime.begin((reason) => abortCall(active, reason));
    try {
      return await this.#attempt(active, authority);
    } catch (first) {
      const again = () => this.#attempt(active, authority);
      return await sendAgain(active, clock, again, first).catch((error: unknown) => {
        throw finalError(active, error);
      });
    } finally {
      end();
      stopListening?.();
    }
  }

  /** A 401 is followed by at most one replay, with another credential; it belongs to the same attempt. */
  async #attempt<T, By extends Sender>(
    active: ActiveCall<T, By>,
    authority: Authority<By> | undefined,
  ): Promise<T> {
    const { clock, transport } = this.#options;
    for (let isReplay = false; ; isReplay = true) {
      if (!transport.isOwnAgent && !transport.isReady()) {
        // Loads undici before the deadline starts, with virtual time held.
        const release = clock.hold?.();
        await abandonOnAbort(transport.prepare().finally(release), active.controller.signal);
      }
      const { authorization, slot } = await this.#admit(active, authority);
      const run = isTraced(REQUEST) ? tracedExchange : exchange;
      const response = await run(this.#options, active, authorization, slot);
      const { status, error } = response;
      if (!error) {
        const value = active.call.read?.(response) as T | Promise<T>;
        return value instanceof Promise ? await abandonOnAbort(value, active.controller.signal) : value;
      }
      if (status !== 401 || isReplay || !authorization || !authority) throw error;
      const { signal } = active.controller;
      const replaced = authority.replace(active.sender, active.row, authorization, signal);
      if (!(await obtained(active, replaced))) throw error;
    }
  }

  /**
   * Obtains a credential and a slot that are both recent. The credential comes
   * first, because a token may take long; it is obtained again after a long wait
   * for the slot, because it may have expired meanwhile. The place among the
   * requests in flight comes last, because obtaining a token needs one too. A slot is never kept
   * during a long wait, and not used after one: it would become free and be used twice.
   */
  async #admit<By extends Sender>(
    active: ActiveCall<unknown, By>,
    authority: Authority<By> | undefined,
  ): Promise<{ readonly authorization: Authorization | undefined; readonly slot: Slot }> {
    const { clock, quotas, transport, patience } = this.#options;
    const { call, retry, row, sender, startedAt, timeoutMs } = active;
    const { endpoint, limit, lease, needsState } = call;
    const { signal } = active.controller;
    const authorize = () => {
      const found = authority?.authorize(sender, row, signal);
      return found instanceof Promise ? obtained(active, found) : found;
    };
    let authorization = authorize();
    if (authorization instanceof Promise) authorization = await authorization;
    while (true) {
      const authorizedAt = clock.monotonic();
      const leftMs = Math.max(0, startedAt + retry.deadlineMs - authorizedAt);
      const own = call.patience ?? { ...patience, shutMs: Math.min(patience.shutMs, leftMs) };
      const reserved = quotas.reserve(sender, {
        endpoint,
        scope: authorization?.scope,
        patience: own,
        timeoutMs,
        signal,
        limit,
        lease,
        needsState,
      });
      const slot = reserved instanceof Promise ? await reserved : reserved;
      const grantedAt = clock.monotonic();
      try {
        if (grantedAt - authorizedAt > STALE_MS) authorization = await authorize();
        const place = transport.inFlight?.enter(sender, signal);
        if (place) await place;
      } catch (error) {
        await quotas.settle(slot, 'unsent');
        throw error;
      }
      if (clock.monotonic() - grantedAt <= STALE_MS && quotas.mayUse(slot)) return { authorization, slot };
      transport.inFlight?.leave(sender);
      await quotas.settle(slot, 'unsent');
    }
  }
}

/** As `exchange`, on the tracing channel. */
function tracedExchange(
  options: ExchangeOptions,
  active: ActiveCall<unknown>,
  authorization: Authorization | undefined,
  slot: Slot,
): Promise<ExchangeResult> {
  const { attempt, call, method, row, sender } = active;
  const { endpoint } = call;
  const context: RequestTrace = {
    storeId: sender.storeId,
    ...options.targets.serverOf(endpoint),
    endpoint,
    path: row.path,
    method,
    attempt,
  };
  return trace(REQUEST, context, async (traced) => {
    const result = await exchange(options, active, authorization, slot);
    traced.status = result.status;
    if (result.error) traced.error = result.error;
    return result;
  });
}

/** What an authority returns; it is abandoned if the call ends. */
async function obtained<Result>(active: ActiveCall<unknown>, promise: Promise<Result>): Promise<Result> {
  try {
    return await abandonOnAbort(promise, active.controller.signal);
  } catch (error) {
    active.hasNoCredential = true;
    throw error;
  }
}
