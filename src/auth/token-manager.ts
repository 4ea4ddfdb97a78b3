import { abandonOnAbort } from '../async/abort.js';
import { nextTurn } from '../async/next-turn.js';
import { SingleFlight } from '../async/single-flight.js';
import type { Clock } from '../clock.js';
import type { EndpointTable } from '../host-endpoints.js';
import type { TokenFormat } from '../host-profile.js';
import type { Authorization } from '../http/call.js';
import { type CallOptions, checkCallOptions, limitsKey } from '../http/call-options.js';
import type { HttpClient } from '../http/http-client.js';
import type { Redactor } from '../secrets/redactor.js';
import type { State } from '../state/port.js';
import { TOKEN } from '../tracing/channels.js';
import { isTraced, trace } from '../tracing/operation.js';
import type { Auth, Token, TokenEvents } from './auth.js';
import type { CachedToken } from './cached-token.js';
import type { Credentials } from './credentials.js';
import { FailurePause, isFaultOfHub } from './failure-pause.js';
import { SharedToken } from './shared-token.js';
import { backgroundLimits, type TokenLimits, tokenRequest } from './token-request.js';

/** Pauses after failed token requests. */
export interface TokenPauses {
  /** Of those that callers wait for. */
  readonly own: FailurePause;
  readonly background: FailurePause;
}

export interface TokenManagerOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly endpoints: EndpointTable;
  /** How the host expects the request. */
  readonly format: TokenFormat;
  readonly credentials: Credentials;
  readonly http: HttpClient;
  /** Masks the tokens in all output. */
  readonly redactor: Redactor;
  /** The token of an earlier manager of the store. */
  readonly token?: CachedToken | undefined;
  /** Its pauses. */
  readonly pauses?: TokenPauses | undefined;
  /** The store, in a fleet. */
  readonly storeId?: string | undefined;
  readonly emit: <Name extends keyof TokenEvents>(name: Name, payload: TokenEvents[Name]) => void;
}

const MINUTE_MS = 60_000;

/** If a younger token is rejected, the hub is at fault: it would reject the next one too. */
const MIN_REJECTED_AGE_MS = 5 * MINUTE_MS;

/** The longest pause after failures of the token endpoint: eight requests an hour, of the ten allowed. */
const MAX_PAUSE_MS = 8 * MINUTE_MS;

/** The longest pause after failed background renewals. */
const MAX_BACKGROUND_PAUSE_MS = 60 * MINUTE_MS;

/** So that many stores do not try again in the same minute. */
const BACKGROUND_JITTER = 0.5;

/**
 * Keeps one bearer token valid (Spec §5). With a token of lifetime L:
 *
 * 1. Far from expiry, callers get the cached token.
 * 2. In the last min(12 h, L/10), with jitter, callers get the cached token, and
 *    it is renewed in the background. No caller sees a failure of that renewal;
 *    the next one is tried after a pause of 1 minute, doubled up to 1 hour.
 * 3. In the last min(60 s, L/20), or without a token, callers wait for one
 *    renewal that all of them share.
 * 4. If that fails because of the hub, callers get the same error for 1 minute,
 *    doubled up to 8 minutes. Otherwise a few bad minutes of the hub would use
 *    up the ten requests of the hour, and the store would have no token for the
 *    rest of it.
 * 5. After a 401 the rejected token is renewed, unless it is younger than five
 *    minutes.
 *
 * A token's age counts from the start of its request. It has expired when
 * either the wall clock or the monotonic clock says so.
 */
export class TokenManager implements Auth {
  readonly #options: TokenManagerOptions;
  readonly #token: SharedToken;
  readonly #renewal = new SingleFlight<CachedToken>();
  readonly #pause: FailurePause;
  readonly #backgroundPause: FailurePause;
  #background: Promise<CachedToken> | undefined;
  #authorization: { readonly value: string; readonly authorization: Authorization } | undefined;

  constructor(options: TokenManagerOptions) {
    const { clock, state, credentials, http, redactor, token } = options;
    this.#options = options;
    this.#pause = options.pauses?.own ?? new FailurePause(clock, MAX_PAUSE_MS);
    this.#backgroundPause =
      options.pauses?.background ?? new FailurePause(clock, MAX_BACKGROUND_PAUSE_MS, BACKGROUND_JITTER);
    this.#token = new SharedToken({
      clock,
      state,
      stateKey: ['token', credentials.storeScope].join(':'),
      pause: (ms) => http.pause(ms),
      redactor,
      token,
    });
  }

  /** The token in memory. */
  get cached(): CachedToken | undefined {
    return this.#token.cached;
  }

  /** Whether nothing but the token and the pauses would be lost with this object. */
  get isIdle(): boolean {
    return !this.#background;
  }

  /** Undefined if no token request has failed since the last good one. */
  get pauses(): TokenPauses | undefined {
    const own = this.#pause;
    const background = this.#backgroundPause;
    return own.hasFailed || background.hasFailed ? { own, background } : undefined;
  }

  async getToken(options: CallOptions = {}): Promise<Token> {
    const { value, expiresAt } = await this.#validToken(this.#checked(options));
    return { value, expiresAt };
  }

  async renew(options: CallOptions = {}): Promise<Token> {
    const call = this.#checked(options);
    // Load the stored token first: otherwise it would pass for one that another process has just renewed.
    if (!this.#token.cached) await abandonOnAbort(this.#token.load(), call.signal);
    const { value, expiresAt } = await this.#renewShared(call);
    return { value, expiresAt };
  }

  invalidate(value: string): Promise<void> {
    return this.#token.invalidate(value);
  }

  /** The credential of one request. */
  async authorize(signal: AbortSignal): Promise<Authorization> {
    return this.#authorizationOf(await this.#validToken({ signal }));
  }

  /** The same object as long as the token is the same. */
  #authorizationOf({ value }: CachedToken): Authorization {
    if (this.#authorization?.value !== value) {
      const authorization: Authorization = {
        header: ['authorization', `Bearer ${value}`],
        onRejected: (signal) => this.#onRejected(value, signal),
      };
      this.#authorization = { value, authorization };
    }
    return this.#authorization.authorization;
  }

  #checked(options: CallOptions): CallOptions {
    this.#options.http.throwIfClosed();
    const call = checkCallOptions(options);
    call.signal?.throwIfAborted();
    return call;
  }

  /** Rules 1 to 4. */
  async #validToken(call: CallOptions): Promise<CachedToken> {
    // A call that has ended, or a closed client, starts no renewal in the background.
    call.signal?.throwIfAborted();
    const cached = this.#token.cached ?? (await abandonOnAbort(this.#token.load(), call.signal));
    const token = this.#usableToken(cached);
    if (token) return token;
    if (this.#pause.isActive) throw this.#pause.lastError;
    return this.#renewShared(call);
  }

  /** Rules 1 and 2. */
  #usableToken(token: CachedToken | undefined): CachedToken | undefined {
    const stage = token?.stage(this.#options.clock) ?? 'ending';
    if (stage === 'due') this.#renewInBackground();
    return stage === 'ending' ? undefined : token;
  }

  #renewInBackground(): void {
    if (this.#background || this.#backgroundPause.isActive) return;
    this.#background = this.#request(backgroundLimits(this.#options.endpoints), true).finally(() => {
      this.#background = undefined;
    });
    this.#background.then(
      () => this.#backgroundPause.succeeded(),
      (error: unknown) => {
        this.#backgroundPause.failed(error);
        this.#options.emit('tokenRenewalFailed', { error, background: true });
      },
    );
  }

  #renewShared({ signal, ...limits }: CallOptions): Promise<CachedToken> {
    const renew = async () => {
      // A background renewal in progress serves the callers too; if it fails, they start their own.
      const token = await this.#background?.catch(() => undefined);
      if (token) return token;
      try {
        // During a series of failures every renewal sends one request only.
        const renewed = await this.#request({ ...limits, ...(this.#pause.hasFailed && { attempts: 1 }) });
        this.#pause.succeeded();
        return renewed;
      } catch (error) {
        if (isFaultOfHub(error, limits)) this.#pause.failed(error);
        this.#options.emit('tokenRenewalFailed', { error, background: false });
        throw error;
      }
    };
    return this.#renewal.run(renew, signal, limitsKey(limits));
  }

  /** Rule 5. Resolves to true if a replay makes sense: there is another token than the rejected one. */
  async #onRejected(value: string, signal: AbortSignal): Promise<boolean> {
    const { cached } = this.#token;
    if (cached?.value === value) {
      if (cached.ageMs(this.#options.clock) < MIN_REJECTED_AGE_MS) return false;
      await this.invalidate(value);
    }
    const next = await this.#validToken({ signal });
    return next.value !== value;
  }

  #request(limits: TokenLimits, background = false): Promise<CachedToken> {
    const { storeId } = this.#options;
    return this.#token.renew(() => {
      if (!isTraced(TOKEN)) return this.#obtain(limits);
      return trace(TOKEN, { storeId, background }, async (traced) => {
        const token = await this.#obtain(limits);
        traced.expiresAt = token.expiresAt;
        return token;
      });
    });
  }

  async #obtain(limits: TokenLimits): Promise<CachedToken> {
    const { credentials, format, http, emit } = this.#options;
    const token = await http.send(tokenRequest(await credentials.clientCredentials(), format, limits));
    await this.#token.keep(token);
    // undici frees a connection one turn after its response: the call that waits would open another one.
    await nextTurn();
    emit('tokenRenewed', { expiresAt: token.expiresAt });
    return token;
  }
}
