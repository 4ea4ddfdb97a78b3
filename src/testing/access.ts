import { ENDPOINTS } from '../endpoints.js';
import type { TokenFormat } from '../host-profile.js';
import type { MockStore } from './mock-store.js';
import type { MockRequest } from './router.js';
import type { Stores } from './stores.js';
import { tokenCredentials } from './token-request.js';

/** The store that a request belongs to. */
export interface Access {
  readonly store: MockStore;
  /** Whether the credentials are valid. The token endpoint checks the client secret itself. */
  readonly isAuthorized: boolean;
}

/** Finds the store whose credentials a request has; undefined if they belong to no store (Spec §5). */
export function findAccess(
  request: MockRequest,
  stores: Stores,
  format: TokenFormat,
  now: number,
): Access | undefined {
  const { endpoint, headers } = request;
  switch (ENDPOINTS[endpoint].auth) {
    case 'none': {
      const store = stores.withClientId(tokenCredentials(request, format).clientId ?? '');
      return store && { store, isAuthorized: true };
    }
    case 'apiKey': {
      const store = stores.withApiKey(headers.get('x-api-key') ?? '');
      return store && { store, isAuthorized: true };
    }
    case 'bearer': {
      // The scheme may be in any case (RFC 9110, 11.1).
      const token = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
      const store = stores.withClientId(/^mock\.([^.]+)\./.exec(token)?.[1] ?? '');
      return store && { store, isAuthorized: (store.tokens.get(token) ?? 0) > now };
    }
  }
}
