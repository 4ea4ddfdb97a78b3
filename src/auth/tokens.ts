import * as timers from 'node:timers';
import { abandonOnAbort, type Lifetime } from '../async/promises.js';
import type { Authority, Authorization } from '../http/call.js';
import { type CallOptions, limitsKey } from '../http/call-options.js';
import type { HttpClient } from '../http/client.js';
import type { Endpoint } from '../hub/endpoints.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import type { TokenFormat } from '../hub/profile.js';
import { TOKEN } from '../observe/channels.js';
import { isTraced, trace } from '../observe/operation.js';
import type { State } from '../state/port.js';
import { type Clock, elapsedMs } from '../time/clock.js';
import type { Account } from './account.js';
import { backgroundLimits, type Credentials, type TokenLimits, tokenRequest } from './request.js';
import { SharedTokens } from './shared.js';
import { BACKGROUND, type CachedToken, pauseAfter, Renewal } from './token.js';

/** Bound at import, so that the fake timers of a test runner keep nobody waiting. */
const { setImmediate } = timers;

export interface TokensOptions {
  readonly clock: Clock;
  readonly state: State;
  readonly endpoints: EndpointTable;
  /** How the host expects the request. */
  readonly format: TokenFormat;
  readonly credentials: Credentials;
  readonly http: HttpClient;
  readonly lifetime: Lifetime;
  /** Whether all token requests of the hour were sent, as far as this process knows. */
  readonly isSpent: (account: Account) => boolean;
}

/** If a younger token is rejected, the hub is at fault: it would reject the next one too. */
const MIN_REJECTED_AGE_MS = 5 * 60_000;

/**
 * Keeps one bearer token of each account valid (Spec §5). With a token of lifetime L:
 *
 * 1. Far from expiry, callers get the cached token.
 * 2. In the last min(12 h, L/10), with jitter, callers get the cached token, and
 *    it is renewed in the background. No caller sees a failure of that renewal;
 *    the next one is tried after a pause of 1 minute, doubled up to 1 hour.
 * 3. In the last min(60 s, L/20), or without a token, callers wait for one
 *    renewal that all of them share.
 * 4. If that fails because of the hub, callers get the same error for 1 minute,
 *    doubled up to 8 minutes; of an answer that is no refusal, such as 404, from
 *    the third in a row. Otherwise a few bad minutes of the hub would use
 *    up the ten requests of the hour, and the store would have no token for the
 *    rest of it.
 * 5. After a 401 the rejected token is renewed; if it is younger than five
 *    minutes, only one that another process has obtained since is taken. It is
 *    kept if no token request is left, and the request was no poll: a hub that
 *    refuses one order's requests may accept it for all others.
 *
 * A token's age counts from the start of its request. It has expired when
 * either the wall clock or the monotonic clock says so.
 */
export class Tokens implements Authority<Account> {
  readonly #options: TokensOptions;
  readonly #shared: SharedTokens;

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#shared = new SharedTokens(options);
  }

  /** See `Auth.getToken`. Rules 1 to 4. */
  async get(account: Account, call: CallOptions = {}): Promise<CachedToken> {
    const cached = account.token ?? (await abandonOnAbort(this.#shared.load(account), call.signal));
    const { clock } = this.#options;
    const stage = cached?.stage(clock) ?? 'ending';
    if (stage === 'due') this.#renewInBackground(account);
    if (cached && stage !== 'ending') return cached;
    const pause = account.renewal?.pause;
    if (pause?.isActive(clock)) throw pause.lastError;
    return this.#renewShared(account, call);
  }

  /** See `Auth.renew`. */
  async renew(account: Account, call: CallOptions = {}): Promise<CachedToken> {
    // Load the stored token first: otherwise it would pass for one that another process has just renewed.
    if (!account.token) await abandonOnAbort(this.#shared.load(account), call.signal);
    return this.#renewShared(account, call);
  }

  /** See `Auth.invalidate`. */
  invalidate(account: Account, value: string): Promise<void> {
    renewalOf(account).reject(value);
    return this.#shared.invalidate(account, value);
  }

  /** Obtains the credential that the endpoint requires; undefined if it requires none. */
  authorize(
    account: Account,
    { auth }: Endpoint,
    signal: AbortSignal,
  ): Authorization | undefined | Promise<Authorization> {
    if (auth === 'none') return undefined;
    if (auth === 'apiKey') return this.#options.credentials.ofMerchant(account);
    // A call that has ended, or a closed client, starts no renewal in the background.
    signal.throwIfAborted();
    const { token } = account;
    if (token?.stage(this.#options.clock) === 'fresh') return token.authorization;
    return this.get(account, { signal }).then(({ authorization }) => authorization);
  }

  /** Rule 5. Resolves to true if a replay makes sense: there is another credential than the rejected one, or it was renewed. */
  async replace(
    account: Account,
    row: Endpoint,
    rejected: Authorization,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, endpoints, isSpent } = this.#options;
    // A key from a function may have been rotated meanwhile.
    if (row.auth === 'apiKey') {
      return (await this.#options.credentials.ofMerchant(account)).value !== rejected.value;
    }
    const { token } = account;
    if (token?.authorization.value === rejected.value) {
      const isYoung = elapsedMs(token.obtainedAt, clock) < MIN_REJECTED_AGE_MS;
      if (isYoung || (row !== endpoints.polling && isSpent(account))) {
        return token !== rejected.token || (await this.#shared.adoptNewer(account)) !== undefined;
      }
      await this.invalidate(account, token.value);
    }
    // Not by their values: a hub may issue the same token again, and accept it now.
    return (await this.get(account, { signal })) !== rejected.token;
  }

  #renewInBackground(account: Account): void {
    const { clock, endpoints } = this.#options;
    const renewal = renewalOf(account);
    if (renewal.background || renewal.backgroundPause.isActive(clock)) return;
    renewal.running += 1;
    renewal.background = this.#request(account, backgroundLimits(endpoints), true).finally(() => {
      renewal.background = undefined;
    });
    renewal.background.then(
      () => {
        renewal.backgroundPause.succeeded();
        ended(account, renewal);
      },
      (error: unknown) => {
        renewal.backgroundPause.failed(error, clock, BACKGROUND);
        ended(account, renewal);
        account.observers?.emit('tokenRenewalFailed', { error, background: true });
      },
    );
  }

  #renewShared(account: Account, { signal, ...limits }: CallOptions): Promise<CachedToken> {
    const renewal = renewalOf(account);
    const { pause } = renewal;
    const renew = async () => {
      renewal.running += 1;
      try {
        // A background renewal in progress serves the callers too; if it fails, they start their own.
        const token = await renewal.background?.catch(() => undefined);
        if (token) return token;
        // During a series of failures every renewal sends one request only.
        const renewed = await this.#request(account, {
          ...limits,
          ...(pause.failures > 0 && { attempts: 1 }),
        });
        if (pause.failures > 0) pause.succeeded();
        return renewed;
      } catch (error) {
        const paused = pauseAfter(error, limits);
        if (paused) pause.failed(error, this.#options.clock, paused);
        account.observers?.emit('tokenRenewalFailed', { error, background: false });
        throw error;
      } finally {
        ended(account, renewal);
      }
    };
    const hasLimits = limits.timeoutMs !== undefined || limits.retry !== undefined;
    return renewal.flight.run(renew, signal, hasLimits ? limitsKey(limits) : undefined);
  }

  #request(account: Account, limits: TokenLimits, background = false): Promise<CachedToken> {
    const { storeId } = account;
    return this.#shared.renew(account, () => {
      if (!isTraced(TOKEN)) return this.#send(account, limits);
      return trace(TOKEN, { storeId, background }, async (traced) => {
        const token = await this.#send(account, limits);
        traced.expiresAt = token.expiresAt;
        return token;
      });
    });
  }

  async #send(account: Account, limits: TokenLimits): Promise<CachedToken> {
    const { credentials, format, http, lifetime } = this.#options;
    const call = tokenRequest(await credentials.ofClient(account), format, limits);
    const token = await http.send(account, call, lifetime);
    await this.#shared.keep(account, token);
    // undici frees a connection one turn after its response: the call that waits would open another one.
    await new Promise((resolve) => setImmediate(resolve));
    account.observers?.emit('tokenRenewed', { expiresAt: token.expiresAt });
    return token;
  }
}

function renewalOf(account: Account): Renewal {
  account.renewal ??= new Renewal();
  return account.renewal;
}

function ended(account: Account, renewal: Renewal): void {
  const { backgroundPause, pause, rejected } = renewal;
  renewal.running -= 1;
  const isUseful = renewal.running + pause.failures + backgroundPause.failures + rejected.length > 0;
  if (account.renewal === renewal && !isUseful) account.renewal = undefined;
}
