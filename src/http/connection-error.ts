import type { EndpointName } from '../endpoints.js';
import { ConnectionError } from '../errors.js';
import type { Redactor } from '../secrets/redactor.js';
import type { ExchangeFailure } from './exchange-failure.js';
import { outcomeOf } from './outcome.js';

/** What failed connections mean, by code or message, and what to do. The first match applies. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, meaning: string, remedy: string]> = [
  [/ECONNREFUSED/, 'the connection was refused', 'start the hub, or check baseUrl'],
  [/ENOTFOUND/, 'the host name does not exist', 'check baseUrl'],
  [/EAI_AGAIN/, 'the host name could not be resolved', 'check the network'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to the host', 'check the network and baseUrl'],
  [
    /wrong version number|packet length too long/,
    'the port does not use TLS',
    'check the port and the scheme (http or https) of baseUrl',
  ],
  [
    /certificate|CERT_|ALTNAME/i,
    "the hub's certificate is not trusted",
    "check baseUrl, or ask the hub's operator",
  ],
  [/ECONNRESET|EPIPE|other side closed|socket hang up/, 'the connection broke', 'try again later'],
  [/timeout|ETIMEDOUT/i, 'the host does not respond', 'check the network and baseUrl'],
];

/** At most this much of a network library's message is quoted. */
const MAX_DETAIL_CHARACTERS = 1000;

/** A long line of numbers and file names, which helps nobody; the error's `cause` keeps it. */
const OPENSSL = /OPENSSL|SSL routines/i;

export function connectionErrorOf(
  endpoint: EndpointName,
  failure: ExchangeFailure,
  redactor: Redactor,
): ConnectionError {
  const { mayHaveReachedHub, cause, code } = failure;
  const isNetwork = failure.origin === 'network';
  const detail = redactor.mask(failure.message, MAX_DETAIL_CHARACTERS);
  return new ConnectionError(endpoint, `${endpoint}: ${isNetwork ? explained(detail, code) : detail}`, {
    cause: redactor.maskError(cause),
    retryable: isNetwork,
    mayHaveReachedHub,
    ...outcomeOf(endpoint, mayHaveReachedHub),
  });
}

/** The failure with its meaning and a remedy. */
function explained(detail: string, code = ''): string {
  const isMatch = ([pattern]: (typeof REMEDIES)[number]) => pattern.test(code) || pattern.test(detail);
  const [, meaning, remedy] = REMEDIES.find(isMatch) ?? [];
  if (meaning === undefined) return `${detail}; check the network and baseUrl`;
  return OPENSSL.test(detail) ? `${meaning}; ${remedy}` : `${meaning} (${detail}); ${remedy}`;
}
