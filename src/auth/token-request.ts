import type { EndpointTable } from '../host-endpoints.js';
import type { TokenFormat } from '../host-profile.js';
import type { Call } from '../http/call.js';
import type { CallOptions } from '../http/call-options.js';
import { NO_PATIENCE } from '../http/slot-queue.js';
import { CachedToken } from './cached-token.js';
import type { ClientCredentials } from './credentials.js';

/** Background renewals leave the other half of the hub's ten requests an hour to callers who need a token now. */
const BACKGROUND_LIMIT = 5;

/** The limits of the renewal of a token that is still valid: sent once, and only if a slot is free now. */
export const backgroundLimits = ({ token: { limit } }: EndpointTable) =>
  ({
    attempts: 1,
    limit: Math.max(1, Math.min(BACKGROUND_LIMIT, Math.floor(limit / 2))),
    patience: NO_PATIENCE,
  }) as const satisfies Partial<Call<unknown>>;

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
    ...limits,
    read: CachedToken.read,
  };
}

/** Both parts are form-encoded first (RFC 6749 §2.3.1). */
function basic({ clientId, clientSecret }: ClientCredentials): string {
  const encoded = (text: string) => new URLSearchParams({ _: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64')}`;
}
