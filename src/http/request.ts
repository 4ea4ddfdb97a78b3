import { abandonOnAbort, linkedController } from '../abort.js';
import type { Clock } from '../clock.js';
import { ENDPOINTS, type EndpointName } from '../endpoints.js';
import {
  ClosedError,
  ConnectionError,
  type HubError,
  InvalidResponseError,
  ResponseTooLargeError,
  TimeoutError,
} from '../errors.js';
import type { Redactor } from '../redact.js';
import { scrubIssues } from './answer.js';
import { utf8 } from './body.js';
import { errorOf } from './classify.js';
import type { Governor, LeaseKeeper, Patience, Slot } from './governor.js';
import { growthMs, type RetryOptions, withRetries } from './retry.js';
import { readRetryAfterMs } from './retry-after.js';
import { type Answer, ExchangeFailure, type Transport } from './transport.js';

/** What the client tells of its traffic; never a header, a body or a secret. */
export type TrafficEvents = {
  request: { readonly endpoint: EndpointName; readonly method: string; readonly attempt: number };
  response: {
    readonly endpoint: EndpointName;
    readonly status: number;
    readonly attempt: number;
    readonly durationMs: number;
  };
  retry: {
    readonly endpoint: EndpointName;
    readonly attempt: number;
    readonly delayMs: number;
    readonly error: HubError;
  };
  rateLimited: { readonly endpoint: EndpointName; readonly retryAfterMs: number };
};

/** The credential of one request and what to do when the hub refuses it. */
export interface Authorization {
  readonly header: readonly [name: string, value: string];
  /** Resolves to true when another credential is worth one replay. */
  refused(): Promise<boolean>;
}

export interface HttpOptions {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly governor: Governor;
  readonly redactor: Redactor;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  readonly maxResponseBytes: { readonly merchant: number; readonly other: number };
  readonly urlOf: (endpoint: EndpointName, path: string) => URL;
  /** Whose quota a request counts against. */
  readonly scope: (endpoint: EndpointName) => string | Promise<string>;
  readonly patience: Patience;
  readonly authorize: (
    endpoint: EndpointName,
    signal: AbortSignal | undefined,
  ) => Promise<Authorization | undefined>;
  readonly tell: <Name extends keyof TrafficEvents>(name: Name, payload: TrafficEvents[Name]) => void;
}

/** An answer and when its request was sent, on both clocks. */
export interface Received extends Answer {
  readonly startedAt: number;
  readonly startedMonotonic: number;
  /** Takes secrets out of a text that quotes the answer. */
  readonly scrub: (text: string) => string;
}

export interface Call<T> {
  readonly endpoint: EndpointName;
  /** Below the base path, encoded; the endpoint's own path where it has no parameters. */
  readonly path?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  /** Fewer than the client's `retry.attempts`, for callers with a rhythm of their own. */
  readonly attempts?: number;
  readonly patience?: Patience;
  /** Shorter than the client's `retry.deadlineMs`. */
  readonly deadlineMs?: number;
  /** At most this many of the endpoint's slots may be taken. */
  readonly limit?: number;
  /** Acquired or renewed with the slot. */
  readonly lease?: LeaseKeeper;
  /** Called once a slot is there, right before the request goes out. */
  readonly onSend?: () => void;
  readonly read: (answer: Received) => T | Promise<T>;
}

/** Of an error page, this much is read before the connection is given up, and this much kept. */
const ERROR_READ_BYTES = 65_536;
const ERROR_KEPT_CHARACTERS = 4096;

/** After a longer wait for one, the other is asked for again. */
const STALE_MS = 1000;

/** Every call's way: reserve, authorize, send, classify, retry, read. */
export class Http {
  readonly #options: HttpOptions;
  /** Calls under way, and whether their request is out. */
  readonly #calls = new Map<AbortController, { readonly endpoint: EndpointName; isSent: boolean }>();
  readonly #pauses = new Set<AbortController>();
  #closing: Promise<void> | undefined;
  readonly #unauthorized = new WeakSet<object>();
  #closed: ClosedError | undefined;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  async send<T>(call: Call<T>): Promise<T> {
    this.throwIfClosed();
    call.signal?.throwIfAborted();
    const { retry, clock, tell } = this.#options;
    const { endpoint } = call;
    const { controller, release } = linkedController(call.signal);
    const { signal } = controller;
    const state = { endpoint, isSent: false };
    this.#calls.set(controller, state);
    const onSend = () => {
      state.isSent = true;
      call.onSend?.();
    };
    try {
      const sent = withRetries((attempt) => this.#attempt({ ...call, onSend }, attempt, signal), {
        options: {
          ...retry,
          ...(call.attempts !== undefined && { attempts: Math.min(call.attempts, retry.attempts) }),
          ...(call.deadlineMs !== undefined && { deadlineMs: Math.min(call.deadlineMs, retry.deadlineMs) }),
        },
        // A token that could not be had was tried for by its own call; trying again here would multiply the tries.
        isFinal: (error) => this.#unauthorized.has(error as object),
        clock,
        signal,
        resend: ENDPOINTS[endpoint].resend,
        onRetry: (error, attempt, delayMs) => tell('retry', { endpoint, attempt, delayMs, error }),
      });
      // Abandoned too: a state that does not answer knows nothing of signals.
      return await abandonOnAbort(sent, signal);
    } finally {
      this.#calls.delete(controller);
      release();
    }
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
    for (const [controller, { endpoint, isSent }] of this.#calls) {
      // A command that is out may have been carried out.
      controller.abort(new ClosedError(undefined, this.#outcome(endpoint, isSent)));
    }
    await this.#options.transport.close();
  }

  /** One try, with at most one replay under another credential after a 401. */
  async #attempt<T>(call: Call<T>, attempt: number, signal: AbortSignal): Promise<T> {
    const { endpoint } = call;
    for (let replayed = false; ; replayed = true) {
      await this.#prepared();
      const { authorization, slot } = await this.#admit(call, signal);
      const answer = await this.#exchange(call, attempt, signal, authorization, slot);
      if (answer.status >= 200 && answer.status < 300) return await this.#read(call, answer);
      const error = errorOf(
        {
          endpoint,
          status: answer.status,
          attempts: attempt,
          body: this.#textOf(answer.body),
          retryAfterMs: answer.shutForMs,
          ...this.#outcome(endpoint, answer.status >= 500),
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
  async #admit<T>(
    call: Call<T>,
    signal: AbortSignal,
  ): Promise<{ authorization: Authorization | undefined; slot: Slot }> {
    const { clock, governor, authorize } = this.#options;
    const authorizeNow = () => this.#unretried(() => authorize(call.endpoint, signal));
    for (let authorization = await authorizeNow(); ; ) {
      const authorizedAt = clock.monotonic();
      const slot = await this.#reserve(call, signal);
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

  async #exchange<T>(
    call: Call<T>,
    attempt: number,
    signal: AbortSignal,
    authorization: Authorization | undefined,
    slot: Slot,
  ): Promise<Received & { shutForMs: number }> {
    const { clock, transport, governor, tell, maxResponseBytes, urlOf } = this.#options;
    const { endpoint } = call;
    const { method, path } = ENDPOINTS[endpoint];
    const release = clock.hold?.();
    let answered = false;
    try {
      const url = urlOf(endpoint, call.path ?? path);
      const headers = this.#headersOf(call, authorization);
      const maxBytes = endpoint === 'merchant' ? maxResponseBytes.merchant : maxResponseBytes.other;
      call.onSend?.();
      tell('request', { endpoint, method, attempt });
      const startedAt = clock.now();
      const startedMonotonic = clock.monotonic();
      const answer = await this.#withDeadline(endpoint, signal, (deadline) =>
        transport.exchange(
          { method, url, headers, body: call.body, maxBytes, maxErrorBytes: ERROR_READ_BYTES },
          deadline,
        ),
      );
      answered = true;
      tell('response', {
        endpoint,
        status: answer.status,
        attempt,
        durationMs: clock.monotonic() - startedMonotonic,
      });
      const ok = answer.status >= 200 && answer.status < 300;
      if (answer.cut && ok)
        throw new ResponseTooLargeError(endpoint, maxBytes, this.#outcome(endpoint, true));
      const scrub = (text: string) => this.#options.redactor.text(text);
      return { ...answer, startedAt, startedMonotonic, scrub, shutForMs: await this.#heed(slot, answer) };
    } finally {
      await governor.settle(slot, answered);
      release?.();
    }
  }

  /** Our own lazy imports are neither in virtual time nor in any deadline. */
  async #prepared(): Promise<void> {
    const { clock, transport } = this.#options;
    if (transport.ready()) return;
    const release = clock.hold?.();
    await transport.prepare().finally(release);
  }

  async #reserve<T>(call: Call<T>, signal: AbortSignal): Promise<Slot> {
    const { governor, scope, patience } = this.#options;
    const of = await scope(call.endpoint);
    return governor.reserve(call.endpoint, of, call.patience ?? patience, signal, call.limit, call.lease);
  }

  #headersOf<T>(call: Call<T>, authorization: Authorization | undefined): Record<string, string> {
    return {
      accept: 'application/json',
      'user-agent': 'opendelivery-client',
      ...this.#options.headers,
      ...(call.contentType && { 'content-type': call.contentType }),
      ...(authorization && { [authorization.header[0]]: authorization.header[1] }),
    };
  }

  /** Heeds the limits the answer speaks of; how long the endpoint is shut, 0 where it is not. */
  async #heed(slot: Slot, answer: Answer): Promise<number> {
    const { clock, governor, retry, tell } = this.#options;
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
    endpoint: EndpointName,
    signal: AbortSignal,
    exchange: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const { clock, timeoutMs } = this.#options;
    const { controller, release } = linkedController(signal);
    const timer = new AbortController();
    clock.sleep(timeoutMs, timer.signal).then(
      () => controller.abort(new TimeoutError(endpoint, timeoutMs, this.#outcome(endpoint, true))),
      () => {},
    );
    try {
      // Abandoned too, because a fetch put in place of Node's may ignore its signal.
      return await abandonOnAbort(exchange(controller.signal), controller.signal);
    } catch (error) {
      throw error instanceof ExchangeFailure ? this.#networkError(endpoint, error) : error;
    } finally {
      timer.abort('over');
      release();
    }
  }

  #networkError(endpoint: EndpointName, failure: ExchangeFailure): ConnectionError {
    const { redactor } = this.#options;
    const foreign = failure.kind === 'foreign';
    return new ConnectionError(endpoint, redactor.text(`${endpoint}: ${failure.message}`), {
      cause: redactor.cause(failure.cause),
      retryable: !foreign,
      mayHaveReachedHub: failure.mayHaveReachedHub,
      ...this.#outcome(endpoint, failure.mayHaveReachedHub),
    });
  }

  #outcome(endpoint: EndpointName, uncertain: boolean): { outcome?: 'unknown' } {
    return uncertain && ENDPOINTS[endpoint].resend === 'unsent' ? { outcome: 'unknown' } : {};
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
