import type { EndpointName } from '../endpoints.js';
import { ConnectionError } from '../errors.js';
import type { Redactor } from '../secrets/redactor.js';
import type { ExchangeFailure } from './exchange-failure.js';
import { outcomeOf } from './outcome.js';

/** What failed connections mean, by code or message, and what to do. The first match applies. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, meaning: string, remedy: string]> = [
  [/ECONNREFUSED/, 'nothing accepts connections there', 'check baseUrl, and whether the hub is running'],
  [/ENOTFOUND/, 'there is no host of that name', 'check baseUrl'],
  [/EAI_AGAIN/, 'the name of the host could not be looked up', 'check the network'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to the host', 'check baseUrl and the network'],
  [
    /wrong version number|packet length too long/,
    'that port does not speak TLS',
    'check baseUrl: port, http or https',
  ],
  [
    /certificate|CERT_|ALTNAME/i,
    'the certificate of the hub is not accepted',
    'check baseUrl, or ask the operator',
  ],
  [/ECONNRESET|EPIPE|other side closed|socket hang up/, 'the connection broke', 'try again later'],
  [/timeout|ETIMEDOUT/i, 'the host does not answer', 'check baseUrl and the network'],
];

/** A long line of numbers and file names, which helps nobody; the error's `cause` keeps it. */
const OPENSSL = /OPENSSL|SSL routines/i;

export function connectionErrorOf(
  endpoint: EndpointName,
  failure: ExchangeFailure,
  redactor: Redactor,
): ConnectionError {
  const { mayHaveReachedHub, cause, code } = failure;
  const isNetwork = failure.origin === 'network';
  const detail = redactor.mask(failure.message);
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
  if (meaning === undefined) return `${detail}; check baseUrl and the network`;
  return OPENSSL.test(detail) ? `${meaning}; ${remedy}` : `${meaning} (${detail}); ${remedy}`;
}
