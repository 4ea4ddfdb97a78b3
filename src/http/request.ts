import { abandonOnAbort, linkedController } from '../async/abort.js';
import type { Clock } from '../clock.js';
import { ENDPOINTS, type EndpointName } from '../endpoints.js';
import { ClosedError, InvalidResponseError } from '../errors.js';
import type { Redactor } from '../secrets/redactor.js';
import { utf8 } from './body.js';
import type { ActiveCall, Authorization, Call, Received, TrafficEvents } from './call.js';
import { errorOf } from './classify.js';
import { ERROR_READ_BYTES, Exchange } from './exchange.js';
import type { Governor, Patience, Slot } from './governor.js';
import { isRefusal, outcomeOf } from './outcome.js';
import { scrubIssues } from './response.js';
import { type RetryOptions, withRetries } from './retry.js';
import type { Transport } from './transport.js';

export type { Authorization, Call, Received, TrafficEvents } from './call.js';

export interface HttpOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly governor: Governor;
  readonly redactor: Redactor;
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  readonly maxResponseBytes: { readonly merchant: number; readonly other: number };
  readonly urlOf: (endpoint: EndpointName, path: string) => URL;
  /** Whose quota a request counts against. */
  readonly scope: (endpoint: EndpointName) => string | Promise<string>;
  /** How long a call waits for its slot, within its deadline. */
  readonly patience: Patience;
  readonly authorize: (
    endpoint: EndpointName,
    signal: AbortSignal | undefined,
  ) => Promise<Authorization | undefined>;
  readonly tell: <Name extends keyof TrafficEvents>(name: Name, payload: TrafficEvents[Name]) => void;
}

/** Of an error page, this much is kept. */
const ERROR_KEPT_CHARACTERS = 4096;

/** If obtaining the slot (or the credential) took longer than this, obtain the other one again. */
const STALE_MS = 1000;

/** Every call's way: reserve, authorize, send, classify, retry, read. */
export class Http {
  readonly #options: HttpOptions;
  readonly #exchange: Exchange;
  readonly #active = new Map<AbortController, ActiveCall<unknown>>();
  readonly #pauses = new Set<AbortController>();
  #closing: Promise<void> | undefined;
  readonly #unauthorized = new WeakSet<object>();
  #closed: ClosedError | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
    this.#exchange = new Exchange(options);
  }

  async send<T>(call: Call<T>): Promise<T> {
    this.throwIfClosed();
    call.signal?.throwIfAborted();
    const { clock, tell } = this.#options;
    const { endpoint } = call;
    const { controller, release } = linkedController(call.signal);
    const { signal } = controller;
    const active = this.#activate(call, signal);
    this.#active.set(controller, active);
    try {
      const sent = withRetries((attempt) => this.#attempt(active, attempt), {
        options: active.retry,
        // A token that could not be obtained was tried for by its own call; trying again here would multiply the tries.
        isFinal: (error) => this.#unauthorized.has(error as object),
        clock,
        signal,
        resend: ENDPOINTS[endpoint].resend,
        onRetry: (error, attempt, delayMs) => tell('retry', { endpoint, attempt, delayMs, error }),
      });
      // Abandoned too: a state that does not answer knows nothing of signals.
      return await abandonOnAbort(sent, signal);
    } finally {
      this.#active.delete(controller);
      release();
    }
  }

  /** The limits of one call: the client's, where the call has none of its own. */
  #activate<T>(call: Call<T>, signal: AbortSignal): ActiveCall<T> {
    const { clock, timeoutMs } = this.#options;
    const own = { ...this.#options.retry, ...call.retry };
    const retry = {
      ...own,
      attempts: Math.min(own.attempts, call.attempts ?? own.attempts),
      deadlineMs: Math.min(own.deadlineMs, call.deadlineMs ?? own.deadlineMs),
    };
    return {
      call,
      signal,
      timeoutMs: call.timeoutMs ?? timeoutMs,
      retry,
      deadlineAt: clock.monotonic() + retry.deadlineMs,
      isUncertain: false,
    };
  }

  /** @throws {ClosedError} after `close`. */
  throwIfClosed(): void {
    if (this.#closed) throw this.#closed;
  }

  /** @throws {ClosedError} when closed meanwhile. */
  async pause(ms: number): Promise<void> {
    this.throwIfClosed();
    const pause = new AbortController();
    this.#pauses.add(pause);
    try {
      await this.#options.clock.sleep(ms, pause.signal);
    } finally {
      this.#pauses.delete(pause);
    }
  }

  /** Ends what is under way with `ClosedError`, then the sockets. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = new ClosedError();
    for (const pause of this.#pauses) pause.abort(this.#closed);
    for (const [controller, { call, isUncertain }] of this.#active) {
      controller.abort(new ClosedError(undefined, outcomeOf(call.endpoint, isUncertain)));
    }
    await this.#options.transport.close();
  }

  /** One try, with at most one replay under another credential after a 401. */
  async #attempt<T>(active: ActiveCall<T>, attempt: number): Promise<T> {
    const { call } = active;
    const { endpoint } = call;
    for (let replayed = false; ; replayed = true) {
      await this.#prepared();
      const { authorization, slot } = await this.#admit(active);
      const answer = await this.#exchange.run(active, attempt, authorization, slot);
      if (answer.status >= 200 && answer.status < 300) return await this.#read(call, answer);
      const error = errorOf(
        {
          endpoint,
          status: answer.status,
          attempts: attempt,
          body: this.#textOf(answer.body),
          retryAfterMs: answer.shutForMs,
          ...(answer.requestId !== undefined && { requestId: answer.requestId }),
          ...outcomeOf(endpoint, !isRefusal(answer.status)),
        },
        ENDPOINTS[endpoint].auth,
      );
      const replay =
        answer.status === 401 && !replayed && (await this.#unretried(async () => authorization?.refused()));
      if (!replay) throw error;
    }
  }

  /**
   * A credential and a slot, both of the moment: the credential first, because
   * a token may take long to get, and again after a wait for the slot, because
   * it may have expired meanwhile. A slot is never held through a long wait:
   * it would free, and be used twice.
   */
  async #admit(
    active: ActiveCall<unknown>,
  ): Promise<{ authorization: Authorization | undefined; slot: Slot }> {
    const { clock, governor, authorize } = this.#options;
    const { call, signal } = active;
    const authorizeNow = () => this.#unretried(() => authorize(call.endpoint, signal));
    for (let authorization = await authorizeNow(); ; ) {
      const authorizedAt = clock.monotonic();
      const slot = await this.#reserve(active);
      const reservedAt = clock.monotonic();
      if (reservedAt - authorizedAt <= STALE_MS) return { authorization, slot };
      try {
        authorization = await authorizeNow();
      } catch (error) {
        await governor.giveBack(slot);
        throw error;
      }
      if (clock.monotonic() - reservedAt <= STALE_MS) return { authorization, slot };
      await governor.giveBack(slot);
    }
  }

  /** What fails in getting a credential is not for this call to retry. */
  async #unretried<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      if (typeof error === 'object' && error !== null) this.#unauthorized.add(error);
      throw error;
    }
  }

  /** Reads the answer; what it says of a bad one shows no secret the hub has echoed. */
  async #read<T>(call: Call<T>, answer: Received): Promise<T> {
    try {
      return await call.read(answer);
    } catch (error) {
      if (!(error instanceof InvalidResponseError)) throw error;
      const { redactor } = this.#options;
      error.message = redactor.text(error.message);
      error.stack = redactor.text(error.stack ?? '');
      Object.assign(error, { issues: scrubIssues(error.issues, answer.scrub) });
      throw error;
    }
  }

  /** Loads undici before the deadline starts, with virtual time held. */
  async #prepared(): Promise<void> {
    const { clock, transport } = this.#options;
    if (transport.ready()) return;
    const release = clock.hold?.();
    await transport.prepare().finally(release);
  }

  async #reserve({ call, signal, timeoutMs, deadlineAt }: ActiveCall<unknown>): Promise<Slot> {
    const { clock, governor, scope, patience } = this.#options;
    const of = await scope(call.endpoint);
    const leftMs = Math.max(0, deadlineAt - clock.monotonic());
    const own = call.patience ?? { ...patience, shutMs: Math.min(patience.shutMs, leftMs) };
    return governor.reserve(call.endpoint, of, own, signal, {
      limit: call.limit,
      lease: call.lease,
      timeoutMs,
    });
  }

  #textOf(body: Uint8Array): string {
    // Cut after scrubbing, and well before where the reading stopped: half a secret would not be recognized.
    const text = utf8(body.subarray(0, ERROR_READ_BYTES));
    const kept = this.#options.redactor.text(text);
    return body.length < ERROR_READ_BYTES ? kept.slice(0, ERROR_KEPT_CHARACTERS) : scrubbedHead(kept);
  }
}

/** The head of a text that was cut somewhere: its last part, where half a secret may stand, is never shown. */
function scrubbedHead(text: string): string {
  return text.slice(0, Math.min(ERROR_KEPT_CHARACTERS, Math.max(0, text.length - ERROR_KEPT_CHARACTERS)));
}
