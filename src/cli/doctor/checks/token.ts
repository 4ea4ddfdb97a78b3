import { TOKEN_LIFETIME_MS } from '../../../hub/endpoints.js';
import { formatDuration } from '../../format.js';
import {
  asDescribed,
  type Check,
  check,
  differs,
  kindOf,
  notSeen,
  shownNumber,
  type Verdict,
} from './check.js';
import { clockCheck, status } from './common.js';
import { exchangeOf, fieldOf, jsonOf, type Observed } from './observed.js';

const LIFETIME_S = TOKEN_LIFETIME_MS / 1000;

export const TOKEN_CHECKS: readonly Check[] = [
  check('token.status', '§4.1', 'Status of a token request', {
    standard: '200',
    spec: '200',
    client: 'reads any 2xx as success; 400 and 401 end the call, and 5xx is tried again',
    examine: status([200]),
  }),
  check('token.wrong_secret', '§5', 'Status for a wrong client secret', {
    standard: '401',
    spec: '401',
    client: 'reports 400, 401 and 403 as wrong credentials; after 5xx it tries again',
    examine: status([401], 'wrong_credential'),
  }),
  check('token.wrong_grant', '§4.1', 'Status for an unknown grant type', {
    standard: '400 (OAuth 2.0)',
    spec: '400: invalid parameters',
    client: 'never sends one',
    examine: status([400], 'malformed'),
  }),
  check('token.access_token', '§2.1', 'The token (access_token)', {
    standard: 'a string',
    spec: 'a string, a JWT',
    client: 'also reads `accessToken`; without a token, no request for orders is possible',
    examine: inToken((json) => {
      if (typeof fieldOf(json, 'access_token') === 'string') return asDescribed('a string');
      const isOther = typeof fieldOf(json, 'accessToken') === 'string';
      return differs(isOther ? 'a string in `accessToken`' : kindOf(fieldOf(json, 'access_token')));
    }),
  }),
  check('token.token_type', '§2.1', 'The type of the token (token_type)', {
    standard: 'bearer, in any case',
    spec: '`bearer`',
    client: 'does not need it',
    examine: inToken((json) => {
      const type = fieldOf(json, 'token_type') ?? fieldOf(json, 'tokenType');
      if (typeof type !== 'string') return differs(kindOf(type));
      return type.toLowerCase() === 'bearer' ? asDescribed('bearer') : differs('another string');
    }),
  }),
  check('token.expires_in', '§2.1', 'Form of the lifetime (expires_in)', {
    standard: 'a number of seconds; optional',
    spec: 'a number of seconds',
    client: 'also reads a string, `expiresIn` and an instant in epoch ms; without it, one hour is assumed',
    examine: inToken(examineForm),
  }),
  check('token.lifetime', '§5', 'Lifetime of the token', {
    standard: 'not fixed',
    spec: `${LIFETIME_S} seconds (7 days)`,
    client: 'renews it before its end, however long it is, with at most ten requests an hour',
    examine: inToken(examineLifetime),
  }),
  clockCheck('token'),
];

function inToken(examine: (json: unknown, at: number) => Verdict) {
  return (observed: Observed): Verdict => {
    const exchange = exchangeOf(observed, 'token');
    const json = jsonOf(exchange);
    if (!exchange || json === undefined) return notSeen('no token response with a JSON body was seen');
    return examine(json, exchange.at);
  };
}

function examineForm(json: unknown): Verdict {
  const lifetime = fieldOf(json, 'expires_in');
  if (typeof lifetime === 'number') {
    return lifetime > 1e11 ? differs('an instant in epoch ms') : asDescribed('a number');
  }
  const isOther = lifetime === undefined && fieldOf(json, 'expiresIn') !== undefined;
  return differs(isOther ? 'in `expiresIn`' : kindOf(lifetime));
}

function examineLifetime(json: unknown, at: number): Verdict {
  const lifetime = fieldOf(json, 'expires_in') ?? fieldOf(json, 'expiresIn');
  if (lifetime === undefined || lifetime === null) return notSeen('the response has no lifetime');
  const number = Number(lifetime);
  if (!(number > 0)) return differs(shownNumber(lifetime));
  const seconds = number > 1e11 ? secondsUntil(number, at) : number;
  if (Math.abs(seconds - LIFETIME_S) <= 60) return asDescribed(formatDuration(LIFETIME_S * 1000));
  return differs(seconds < 1e10 ? formatDuration(seconds * 1000) : 'longer than a hundred years');
}

/** The hub counts from its response, some seconds after the request: for a long lifetime that is no difference. */
function secondsUntil(instant: number, at: number): number {
  const seconds = (instant - at) / 1000;
  return seconds > 600 ? Math.round(seconds / 60) * 60 : seconds;
}
