/** Errors nested deeper than this are not inspected. */
const MAX_DEPTH = 5;

/** System calls made before a connection is open, including the DNS queries of c-ares (`queryA`, …). */
const CONNECT_SYSCALL = /^(?:connect|bind|getaddrinfo|query[A-Z]\w*)$/;

/** Error codes that occur only while connecting. */
const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_TLS',
  'UND_MOCK_ERR_MOCK_NOT_MATCHED',
]);

/** Rejected certificates and failed TLS handshakes. Alerts after the handshake are not included. */
const HANDSHAKE_CODE =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_SSL_(?:WRONG_VERSION_NUMBER|SSLV3_ALERT_HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE))/;

/** Node reports this failure with the code of a reset (ECONNRESET). */
const HANDSHAKE_MESSAGE = /before secure TLS connection was established/;

/**
 * Whether the error proves that no connection was opened, so that the hub
 * cannot have received the request.
 *
 * The code alone proves nothing: if the route to the hub disappears, reading
 * from an open connection fails with EHOSTUNREACH, and the hub may have
 * processed the request. So the system call decides. If several addresses were
 * tried, every attempt must have failed to connect.
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
