import { ENDPOINTS, type EndpointName } from '../endpoints.js';
import type { Authorization } from '../http/call.js';
import type { Credentials } from './credentials.js';
import type { TokenManager } from './token-manager.js';

/** Obtains the credential that the endpoint requires; undefined if it requires none. */
export async function authorize(
  endpoint: EndpointName,
  signal: AbortSignal,
  tokens: TokenManager,
  credentials: Credentials,
): Promise<Authorization | undefined> {
  switch (ENDPOINTS[endpoint].auth) {
    case 'none':
      return undefined;
    case 'bearer':
      return tokens.authorize(signal);
    case 'apiKey':
      return credentials.authorize();
  }
}
