import { ConfigurationError, TimeoutError } from '../errors/index.js';
import type { Authorization, Call } from '../http/call.js';
import type { CallOptions } from '../http/call-options.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import type { TokenFormat } from '../hub/profile.js';
import { HEADER_SAFE, type Secret } from '../options/checks.js';
import { NO_PATIENCE } from '../quota/request.js';
import type { Clock } from '../time/clock.js';
import { withinTime } from '../time/timer.js';
import type { Account, AccountCredentials } from './account.js';
import { CachedToken } from './token.js';

/** For the token endpoint. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the function of a rotated secret must return. */
const SIGNING = { allowed: /^\P{Cc}+$/u, description: 'a non-empty string without control characters' };
const RETURNED = {
  pushSecrets: SIGNING,
  secrets: SIGNING,
  clientSecret: SIGNING,
  apiKey: { allowed: HEADER_SAFE, description: 'a non-empty string of printable ASCII' },
} as const;

/** What is wrong with an account that lacks `clientId` or `clientSecret`. */
export const missingClient = ({ clientId }: AccountCredentials): ConfigurationError =>
  new ConfigurationError(
    clientId === undefined ? 'clientId' : 'clientSecret',
    'is required for events and orders; pass it to the HubClient, or set HUB_CLIENT_ID and HUB_CLIENT_SECRET for fromEnv',
  );

/** Reads the present values of an account's secrets. */
export class Credentials {
  readonly #clock: Clock;
  readonly #timeoutMs: number;

  /** @param timeoutMs - a secret's function must return within this time. */
  constructor({ clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number }) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws {ConfigurationError} clientId or clientSecret is missing, or the secret's function returned no usable string. @throws {TimeoutError} the function did not return. */
  async ofClient(account: Account): Promise<ClientCredentials> {
    const { clientId } = account;
    const clientSecret = await this.#current(account, 'clientSecret', account.clientSecret);
    if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
    throw missingClient(account);
  }

  /**
   * What the hub may sign a push with: the client secret and those of an option. A function that fails, or is slow, does not take
   * the others away.
   *
   * @throws {ConfigurationError} there are none.
   */
  ofSignatures(
    account: Account,
    others: readonly Secret[],
    option: 'pushSecrets' | 'secrets',
  ): readonly Promise<string | undefined>[] {
    if (account.clientSecret === undefined && others.length === 0) throw missingClient(account);
    return [
      this.#current(account, 'clientSecret', account.clientSecret),
      ...others.map((secret) => this.#current(account, option, secret)),
    ];
  }

  /** The API key of one request. @throws {ConfigurationError} it is missing or not usable. */
  async ofMerchant(account: Account): Promise<Authorization> {
    const key = await this.#current(account, 'apiKey', account.apiKey);
    if (key !== undefined) return { name: 'x-api-key', value: key, scope: account.scopeOfKey(key) };
    throw new ConfigurationError(
      'apiKey',
      'is required for the merchant document; pass it to the HubClient, or set HUB_API_KEY for fromEnv',
    );
  }

  /** The present value of a secret. */
  async #current(
    account: Account,
    name: keyof typeof RETURNED,
    secret: Secret | undefined,
  ): Promise<string | undefined> {
    if (typeof secret !== 'function') return secret;
    const { allowed, description } = RETURNED[name];
    const late = () => new TimeoutError(name, this.#timeoutMs);
    const returned: unknown = await withinTime(this.#clock, this.#timeoutMs, secret, late);
    const value = typeof returned === 'string' && allowed.test(returned) ? returned.trim() : '';
    if (value === '') throw new ConfigurationError(name, `its function must return ${description}`);
    account.remember(value);
    return value;
  }
}

/** Background renewals leave the other half of the hub's ten requests an hour to callers who need a token now. */
const BACKGROUND_LIMIT = 5;

/** Without a token there are no orders, and the window of the token endpoint is an hour. */
const MAX_UNREAD_MS = 5 * 60_000;

/** The limits of the renewal of a token that is still valid: sent once, and only if a slot is free now. */
export const backgroundLimits = ({ token: { limit } }: EndpointTable): TokenLimits => ({
  attempts: 1,
  limit: Math.max(1, Math.min(BACKGROUND_LIMIT, Math.floor(limit / 2))),
  patience: NO_PATIENCE,
});

/** The limits of one token request. */
export type TokenLimits = Pick<Call<unknown>, 'attempts' | 'limit' | 'patience'> &
  Omit<CallOptions, 'signal'>;

/** The call that requests a token, by default with the grant `client_credentials` in a form (Spec §4.1). */
export function tokenRequest(
  credentials: ClientCredentials,
  format: TokenFormat,
  limits: TokenLimits,
): Call<CachedToken> {
  const isBasic = format.credentials === 'basic';
  const { clientId, clientSecret, grantType } = format.fields;
  const fields = {
    ...(!isBasic && { [clientId]: credentials.clientId, [clientSecret]: credentials.clientSecret }),
    [grantType]: format.grantType,
    ...format.extra,
  };
  const isJson = format.body === 'json';
  return {
    endpoint: 'token',
    contentType: isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
    ...(isBasic && { headers: { authorization: basic(credentials) } }),
    needsState: true,
    maxUnreadMs: MAX_UNREAD_MS,
    ...limits,
    read: CachedToken.read,
  };
}

/** Both parts are form-encoded first (RFC 6749 §2.3.1). */
function basic({ clientId, clientSecret }: ClientCredentials): string {
  const encoded = (text: string) => new URLSearchParams({ _: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`;
}
