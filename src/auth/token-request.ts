import type { Call } from '../http/call.js';
import type { CallOptions } from '../http/call-options.js';
import { NO_PATIENCE } from '../http/slot-queue.js';
import { CachedToken } from './cached-token.js';
import type { ClientCredentials } from './credentials.js';

/** Background renewals leave the other half of the hub's ten requests an hour to callers who need a token now. */
const BACKGROUND_LIMIT = 5;

/** The renewal of a token that is still valid: sent once, and only if a slot is free now. */
export const IN_BACKGROUND = {
  attempts: 1,
  limit: BACKGROUND_LIMIT,
  patience: NO_PATIENCE,
} as const satisfies Partial<Call<unknown>>;

/** The limits of one token request. */
export type TokenLimits = Pick<Call<unknown>, 'attempts' | 'limit' | 'patience'> &
  Omit<CallOptions, 'signal'>;

/** The call that requests a token with the grant `client_credentials` (Spec §4.1). */
export function tokenRequest(
  { clientId, clientSecret }: ClientCredentials,
  limits: TokenLimits,
): Call<CachedToken> {
  return {
    endpoint: 'token',
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    }).toString(),
    ...limits,
    read: CachedToken.read,
  };
}
