import { abandonOnAbort } from '../async/abort.js';
import { SingleFlight } from '../async/single-flight.js';
import type { Clock } from '../clock.js';
import { ConfigurationError, HubError, RateLimitError, TimeoutError } from '../errors.js';
import { type CallOptions, limitsKey, resolveCallOptions } from '../http/call-options.js';
import type { Authorization, Call } from '../http/request.js';
import { withLock } from '../state/lock.js';
import type { State } from '../state/port.js';
import { CachedToken } from './cached-token.js';

/** A bearer token and when it stops being one, in epoch ms. */
export interface Token {
  readonly value: string;
  readonly expiresAt: number;
}

/** What happened to the token; never the token. */
export type TokenEvents = {
  tokenRenewed: { readonly expiresAt: number };
  tokenRenewalFailed: { readonly error: unknown; readonly background: boolean };
};

export interface TokenManagerOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: string;
  readonly clientId: string | undefined;
  readonly clientSecret: () => Promise<string | undefined>;
  /** Sends one call of the token endpoint. */
  readonly send: <T>(call: Call<T>) => Promise<T>;
  /** Waits, but not beyond the client's end. */
  readonly pause: (ms: number) => Promise<void>;
  readonly learnSecret: (secret: string) => void;
  readonly throwIfClosed: () => void;
  readonly tell: <Name extends keyof TokenEvents>(name: Name, payload: TokenEvents[Name]) => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A token younger than this that is refused is the hub's fault: another would be refused too. */
const YOUNG_MS = 5 * MINUTE_MS;

/** Background renewals leave this half of the hub's ten an hour to callers who need a token now. */
const BACKGROUND_LIMIT = 5;

const BACKGROUND_RETRY_MIN_MS = MINUTE_MS;

/** Between two tries at a token endpoint that goes on failing: eight in an hour, of ten. */
const LONGEST_PAUSE_MS = 8 * MINUTE_MS;

interface TokenRequest {
  readonly isBackground: boolean;
  /** Those of the caller; the client's where it has none. */
  readonly limits?: Omit<CallOptions, 'signal'>;
}

/** Bearer tokens of one store. */
export interface Auth {
  /**
   * A token that is good for at least another minute, or for a twentieth of its life where that is shorter.
   *
   * @throws {AuthenticationError} the hub refused clientId and clientSecret; not retried.
   * @throws {RateLimitError} ten requests were made within an hour (Spec §8).
   * @throws {ConfigurationError} clientId or clientSecret is not set.
   */
  getToken(options?: CallOptions): Promise<Token>;

  /**
   * A new token now, whatever the age of the present one; joins a renewal that is under way.
   *
   * @throws as `getToken`.
   */
  renew(options?: CallOptions): Promise<Token>;

  /** Forgets the token if it is still `value`: a late refusal of an old one never throws away the new. */
  invalidate(value: string): Promise<void>;
}

/**
 * Keeps one bearer token fresh (Spec §5). With lifetime L:
 *
 * 1. far from expiry, the cached token;
 * 2. in the last min(12 h, L/10), jittered, the cached token at once and a
 *    renewal in the background, whose failure no caller sees;
 * 3. in the last min(60 s, L/20), or without a token, callers wait for one
 *    renewal, shared by all of them.
 *
 * Expiry counts from the start of the request and is reached when either the
 * wall or the monotonic clock says so.
 */
export class TokenManager implements Auth {
  readonly #options: TokenManagerOptions;
  readonly #renewal = new SingleFlight<CachedToken>();
  #held: CachedToken | undefined;
  #background: Promise<CachedToken> | undefined;
  /** Refused tokens, so that a state that still holds one does not bring it back; the newest 16. */
  readonly #refusedValues = new Set<string>();
  #failure: { readonly error: unknown; readonly times: number; readonly notBefore: number } | undefined;
  #backgroundFailures = 0;
  #backgroundNotBefore = Number.NEGATIVE_INFINITY;

  constructor(options: TokenManagerOptions) {
    this.#options = options;
  }

  async getToken(options: CallOptions = {}): Promise<Token> {
    this.#options.throwIfClosed();
    const call = resolveCallOptions(options);
    const { signal } = call;
    signal?.throwIfAborted();
    const held = await abandonOnAbort(this.#usable(), signal);
    if (held) return publicOf(held);
    this.#throwLateFailure();
    return publicOf(await this.#renewShared(call));
  }

  async renew(options: CallOptions = {}): Promise<Token> {
    this.#options.throwIfClosed();
    const call = resolveCallOptions(options);
    const { signal } = call;
    signal?.throwIfAborted();
    // Held, the stored one is known to be the present one, and not taken for a new one.
    await abandonOnAbort(this.#hold(), signal);
    return publicOf(await this.#renewShared(call));
  }

  async invalidate(value: string): Promise<void> {
    if (this.#held?.value === value) this.#held = undefined;
    this.#refusedValues.add(value);
    if (this.#refusedValues.size > 16)
      this.#refusedValues.delete(this.#refusedValues.values().next().value ?? '');
    const { state, stateKey, clock } = this.#options;
    try {
      const stored = await state.get(stateKey, clock);
      if (stored !== undefined && CachedToken.restore(stored, clock)?.value === value)
        await state.delete(stateKey, stored, clock);
    } catch {
      // Out of reach: the next process finds out by a refusal of its own.
    }
  }

  /** The header of one request, and what to do when the hub refuses it. */
  async authorize(signal: AbortSignal | undefined): Promise<Authorization> {
    const { value } = await this.getToken({ signal });
    return {
      header: ['authorization', `Bearer ${value}`],
      refused: () => this.#refused(value, signal),
    };
  }

  /** Whether a replay is worth it: another token is there already, or the refused one was old enough to renew. */
  async #refused(value: string, signal: AbortSignal | undefined): Promise<boolean> {
    const held = this.#held;
    if (held && held.value === value) {
      if (held.ageMs(this.#options.clock) < YOUNG_MS) return false;
      await this.invalidate(value);
    }
    const next = await this.getToken({ signal });
    return next.value !== value;
  }

  /** The held token while it may be handed out; starts a background renewal when it is due. */
  async #usable(): Promise<CachedToken | undefined> {
    const held = await this.#hold();
    if (!held) return undefined;
    const stage = held.stage(this.#options.clock);
    if (stage === 'due') this.#renewInBackground();
    return stage === 'ending' ? undefined : held;
  }

  /** The held token; without one what another process, or this one before a restart, has left. */
  async #hold(): Promise<CachedToken | undefined> {
    if (this.#held) return this.#held;
    const stored = await this.#load();
    // Not `??= await`, which would put it in the place of one that came meanwhile.
    this.#held ??= stored;
    return this.#held;
  }

  #renewInBackground(): void {
    const { clock, tell } = this.#options;
    if (this.#background || clock.monotonic() < this.#backgroundNotBefore) return;
    this.#background = this.#request({ isBackground: true }).finally(() => {
      this.#background = undefined;
    });
    this.#background.then(
      () => {
        this.#backgroundFailures = 0;
      },
      (error: unknown) => {
        this.#backgroundFailures += 1;
        const bound = Math.min(HOUR_MS, BACKGROUND_RETRY_MIN_MS * 2 ** (this.#backgroundFailures - 1));
        this.#backgroundNotBefore = clock.monotonic() + Math.ceil(bound * (1 + Math.random() / 2));
        tell('tokenRenewalFailed', { error, background: true });
      },
    );
  }

  #renewShared({ signal, ...limits }: CallOptions): Promise<CachedToken> {
    const renew = async () => {
      // One that is under way may serve; its failure is not the caller's.
      const begun = await this.#background?.catch(() => undefined);
      if (begun) return begun;
      try {
        const held = await this.#request({ isBackground: false, limits });
        this.#failure = undefined;
        return held;
      } catch (error) {
        // A caller's own short time-out shows nothing of the hub.
        if (!(error instanceof TimeoutError && limits.timeoutMs !== undefined)) this.#noteFailure(error);
        this.#options.tell('tokenRenewalFailed', { error, background: false });
        throw error;
      }
    };
    return this.#renewal.run(renew, signal, limitsKey(limits));
  }

  /**
   * A hub that fails at its token endpoint is asked ever more rarely, or a few
   * bad minutes would spend the hour's ten requests and leave a store blind for
   * the rest of it.
   */
  #noteFailure(error: unknown): void {
    const isOfHub = error instanceof HubError && error.retryable && !(error instanceof RateLimitError);
    if (!isOfHub) return;
    const times = (this.#failure?.times ?? 0) + 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, MINUTE_MS * 2 ** (times - 1));
    this.#failure = { error, times, notBefore: this.#options.clock.monotonic() + pauseMs };
  }

  /** During that pause callers share the last failure. */
  #throwLateFailure(): void {
    const failure = this.#failure;
    if (failure && this.#options.clock.monotonic() < failure.notBefore) throw failure.error;
  }

  #request(request: TokenRequest): Promise<CachedToken> {
    const { state, stateKey, clock, pause } = this.#options;
    return withLock({
      state,
      key: `${stateKey}:turn`,
      clock,
      pause,
      findResult: () => this.#adoptNewer(),
      work: () => this.#requestNow(request),
    });
  }

  async #requestNow({ isBackground, limits }: TokenRequest): Promise<CachedToken> {
    const { clientId, send, learnSecret, tell } = this.#options;
    const clientSecret = await this.#options.clientSecret();
    if (clientId === undefined || clientSecret === undefined) {
      const missing = clientId === undefined ? 'clientId' : 'clientSecret';
      throw new ConfigurationError(
        missing,
        'is needed for events and orders; pass it to the HubClient, or set HUB_CLIENT_ID and HUB_CLIENT_SECRET for fromEnv',
      );
    }
    learnSecret(clientSecret);
    const held = await send({
      endpoint: 'token',
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
      }).toString(),
      ...limits,
      ...(isBackground && { attempts: 1, limit: BACKGROUND_LIMIT, patience: { quotaMs: 0, shutMs: 0 } }),
      // Whoever asks again after a failure asks once.
      ...(this.#failure && { attempts: 1 }),
      read: CachedToken.read,
    });
    learnSecret(held.value);
    await this.#keep(held);
    tell('tokenRenewed', { expiresAt: held.expiresAt });
    return held;
  }

  async #keep(held: CachedToken): Promise<void> {
    this.#held = held;
    this.#refusedValues.delete(held.value);
    const { state, stateKey, clock } = this.#options;
    try {
      await state.set(stateKey, held.toRecord(), held.lifetimeMs, clock);
    } catch {
      // Good for this process all the same.
    }
  }

  /** A token that another process has put into the state since we got ours. */
  async #adoptNewer(): Promise<CachedToken | undefined> {
    const held = this.#held;
    const stored = await this.#load();
    if (!stored || stored.value === held?.value) return undefined;
    if (held && stored.obtainedAt <= held.obtainedAt) return undefined;
    if (stored.stage(this.#options.clock) !== 'fresh') return undefined;
    this.#held = stored;
    return stored;
  }

  async #load(): Promise<CachedToken | undefined> {
    const { state, stateKey, clock } = this.#options;
    try {
      const stored = await state.get(stateKey, clock);
      const held = stored === undefined ? undefined : CachedToken.restore(stored, clock);
      if (!held || this.#refusedValues.has(held.value)) return undefined;
      this.#options.learnSecret(held.value);
      return held;
    } catch {
      return undefined;
    }
  }
}

function publicOf({ value, expiresAt }: CachedToken): Token {
  return { value, expiresAt };
}
