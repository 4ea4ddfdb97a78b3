/** Errors nested deeper than this are not looked at. */
const MAX_DEPTH = 5;

/** System calls that come before a connection is open; the name server's as c-ares calls them (`queryA`, …) too. */
const CONNECT_SYSCALL = /^(?:connect|bind|getaddrinfo|query[A-Z]\w*)$/;

/** Codes that only connecting can give. */
const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_TLS',
  'UND_MOCK_ERR_MOCK_NOT_MATCHED',
]);

/** Certificates that were not accepted and handshakes that failed; alerts after the handshake are not among them. */
const HANDSHAKE_CODE =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_SSL_(?:WRONG_VERSION_NUMBER|SSLV3_ALERT_HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE))/;

/** Node gives this failure the code of a reset. */
const HANDSHAKE_MESSAGE = /before secure TLS connection was established/;

/**
 * Whether the error proves that no connection was opened, so that the hub
 * cannot have seen the request.
 *
 * The code alone proves nothing: when the route to a hub goes away, an open
 * connection fails to read with EHOSTUNREACH, and the hub may have answered. So
 * the system call decides. Where several addresses were tried, each attempt
 * must have failed to connect.
 */
export function isConnectFailure(error: unknown, depth = 0): boolean {
  if (depth === MAX_DEPTH || typeof error !== 'object' || error === null) return false;
  const attempts: unknown = Reflect.get(error, 'errors');
  if (Array.isArray(attempts)) {
    return attempts.length > 0 && attempts.every((attempt) => isConnectFailure(attempt, depth + 1));
  }
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code !== 'string') return isConnectFailure(Reflect.get(error, 'cause'), depth + 1);
  const syscall: unknown = Reflect.get(error, 'syscall');
  if (typeof syscall === 'string') return CONNECT_SYSCALL.test(syscall);
  return (
    CONNECT_CODES.has(code) ||
    HANDSHAKE_CODE.test(code) ||
    HANDSHAKE_MESSAGE.test(String(Reflect.get(error, 'message')))
  );
}
