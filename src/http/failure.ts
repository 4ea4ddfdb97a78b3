import { ConnectionError } from '../errors/index.js';
import type { Endpoint, EndpointName } from '../hub/endpoints.js';
import type { Sender } from './call.js';

/** Proxies give up with these: request timeout, and client closed request. The hub has not refused, and may have carried out the command. */
export const OF_PROXIES: ReadonlySet<number> = new Set([408, 499]);

/** Whether this status of a command is the hub's refusal: the order did not change. */
export const isRejection = (status: number) => status >= 400 && status <= 499 && !OF_PROXIES.has(status);

/** Part of an error's options: `outcome` is set if a command may have been carried out (Spec §4.5). */
export const outcomeOf = ({ resend }: Endpoint, isUnknown: boolean): { outcome?: 'unknown' } =>
  isUnknown && resend === 'unsent' ? { outcome: 'unknown' } : {};

/** What to do about a command that the hub may have carried out. */
export const READ_FIRST = 'read the order before you send it again';

const CHECK_ALL = 'check the network and baseUrl';

/** What failed connections mean, and what to do. The first pattern that matches the code or the message applies. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, meaning: string, remedy: string]> = [
  [/ECONNREFUSED|connection ?refused/i, 'the connection was refused', 'start the hub, or check baseUrl'],
  [/ENOTFOUND|dns error/, 'the host name does not exist', 'check baseUrl'],
  [/EAI_AGAIN/, 'the host name could not be resolved', 'check the network'],
  [/EHOSTUNREACH|ENETUNREACH/, 'there is no route to the host', CHECK_ALL],
  [
    /wrong version number|packet length too long/,
    'the port does not use TLS',
    'check the port and the scheme (http or https) of baseUrl',
  ],
  [
    /certificate|CERT_|ALTNAME/i,
    "the hub's certificate is not trusted",
    'check baseUrl, or set NODE_EXTRA_CA_CERTS',
  ],
  [
    /ECONNRESET|EPIPE|other side closed|socket hang up|connection (?:closed|lost)/,
    'the connection broke',
    'try again later',
  ],
  [/timeout|ETIMEDOUT/i, 'the host does not respond', CHECK_ALL],
];

/** Codes that occur only while connecting, and those of rejected certificates and failed TLS handshakes (alerts after it are not included). */
const CONNECTING_CODE =
  /^(?:ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_TLS|UND_MOCK_ERR_MOCK_NOT_MATCHED)$/;
const HANDSHAKE_CODE =
  /^(?:ERR_TLS_CERT_ALTNAME_INVALID|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_SSL_(?:WRONG_VERSION_NUMBER|SSLV3_ALERT_HANDSHAKE_FAILURE|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE))/;

/** System calls made before a connection is open, including the DNS queries of c-ares (`queryA`, …). */
const CONNECT_SYSCALL = /^(?:connect|bind|getaddrinfo|query[A-Z]\w*)$/;

/** Node reports this failure with the code of a reset (ECONNRESET). */
const HANDSHAKE_MESSAGE = /before secure TLS connection was established/;

/**
 * Wrong arguments, a dispatcher that the application has closed, a missing module, a mock without a handler: this
 * process failed, and a retry does not help.
 */
const LOCAL_CODE =
  /^(?:ERR_(?:INVALID|MISSING|MODULE|REQUIRE|UNSUPPORTED|UNKNOWN|OUT_OF_RANGE|METHOD|HTTP_INVALID)_|MODULE_NOT_FOUND$|UND_MOCK_ERR_|UND_ERR_(?:INVALID_ARG|INVALID_RETURN_VALUE|NOT_SUPPORTED|CLOSED|DESTROYED|REQ_CONTENT_LENGTH_MISMATCH)$)/;

const PROGRAMMING_ERROR = /^(?:Type|Reference|Range|Syntax|Eval)Error$/;

/** undici errors without a code: the connection ended, or the bytes received are not HTTP. */
const UNCODED = /^(?:SocketError|HTTPParserError)$/;

/**
 * How the fetch of other runtimes than Node reports a failure of the network, by the name of the runtime. The patterns are
 * for the code, if there is one, with the messages of the error and of its cause.
 */
const OF_RUNTIMES: ReadonlyArray<{
  readonly userAgent: RegExp;
  readonly network: RegExp;
  /** Which of these prove that no connection was opened. */
  readonly connecting?: RegExp;
}> = [
  {
    userAgent: /^Bun\//,
    network: /^(?:E[A-Z]+|[A-Z_]*CERT[A-Z_]*|Connection[A-Z]\w+|FailedToOpenSocket): /,
    connecting: /: Unable to connect/,
  },
  {
    userAgent: /^Deno\//,
    network: /client error \(\w+\)|os error \d+/,
    connecting: /client error \(Connect\)/,
  },
  { userAgent: /^Cloudflare-Workers/, network: /^Network connection lost/ },
];

/** A long line of numbers and file names, which helps nobody; the error's `cause` keeps it. */
const OPENSSL = /OPENSSL|SSL routines/i;

/** Errors nested deeper than this are not inspected. */
const MAX_DEPTH = 5;

/** At most this much of a network library's message is quoted. */
const MAX_DETAIL_CHARACTERS = 1000;

/** There is no response: why, and whether the hub may have received the request. */
export class ExchangeFailure extends Error {
  /** The network or the hub failed, and a retry may help; otherwise something in this process. */
  readonly isNetwork: boolean;
  /** The error code of Node or undici, if there is one. */
  readonly code: string | undefined;
  readonly mayHaveReachedHub: boolean;

  private constructor(cause: unknown, isNetwork: boolean, mayHaveReachedHub: boolean) {
    super(describe(cause), { cause });
    this.isNetwork = isNetwork;
    this.code = codeOf(cause);
    this.mayHaveReachedHub = mayHaveReachedHub;
  }

  /** @param isFromConnector - the connector reported the error, so no connection was opened. */
  static ofDispatcher(error: unknown, isFromConnector: boolean): ExchangeFailure {
    const code = codeOf(error);
    const isBug = code === undefined && error instanceof Error && PROGRAMMING_ERROR.test(error.name);
    const isLocal = isBug || (code !== undefined && LOCAL_CODE.test(code));
    return new ExchangeFailure(error, !isLocal, !isFromConnector && !isConnectFailure(error));
  }

  static ofFetch(error: unknown): ExchangeFailure {
    const { network, connecting } = OF_RUNTIMES.find((each) => each.userAgent.test(userAgent())) ?? {};
    const code = codeOf(error);
    const text = `${code === undefined ? '' : `${code}: `}${describe(error)}`;
    const isConnect = isConnectFailure(error) || connecting?.test(text) === true;
    return new ExchangeFailure(error, network?.test(text) || isNetworkErrorOfFetch(error), !isConnect);
  }

  /** What the caller gets. */
  toError(endpoint: EndpointName, row: Endpoint, sender: Sender): ConnectionError {
    const { mayHaveReachedHub, cause, code, isNetwork } = this;
    const detail = sender.quote(this.message, MAX_DETAIL_CHARACTERS);
    const outcome = outcomeOf(row, mayHaveReachedHub);
    const remedy = outcome.outcome && READ_FIRST;
    const message = isNetwork ? explained(detail, code, remedy) : detail;
    return new ConnectionError(endpoint, `${endpoint}: ${message}`, {
      cause: sender.maskError(cause),
      retryable: isNetwork,
      mayHaveReachedHub,
      ...outcome,
    });
  }
}

/** The failure with its meaning and a remedy. */
function explained(detail: string, code = '', given: string | undefined): string {
  const [, meaning, usual = CHECK_ALL] =
    REMEDIES.find(([pattern]) => pattern.test(code) || pattern.test(detail)) ?? [];
  const remedy = given ?? usual;
  if (!meaning) return `${detail}; ${remedy}`;
  return OPENSSL.test(detail) ? `${meaning}; ${remedy}` : `${meaning} (${detail}); ${remedy}`;
}

/**
 * Whether the error proves that no connection was opened, so that the hub
 * cannot have received the request.
 *
 * The code alone proves nothing: if the route to the hub disappears, reading
 * from an open connection fails with EHOSTUNREACH, and the hub may have
 * processed the request. So the system call decides. If several addresses were
 * tried, every attempt must have failed to connect.
 */
function isConnectFailure(error: unknown, depth = 0): boolean {
  if (depth === MAX_DEPTH || typeof error !== 'object' || error === null) return false;
  const attempts: unknown = Reflect.get(error, 'errors');
  if (Array.isArray(attempts)) {
    return attempts.length > 0 && attempts.every((attempt) => isConnectFailure(attempt, depth + 1));
  }
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code !== 'string') return isConnectFailure(Reflect.get(error, 'cause'), depth + 1);
  const syscall: unknown = Reflect.get(error, 'syscall');
  if (typeof syscall === 'string') return CONNECT_SYSCALL.test(syscall);
  if (CONNECTING_CODE.test(code) || HANDSHAKE_CODE.test(code)) return true;
  return HANDSHAKE_MESSAGE.test(String(Reflect.get(error, 'message')));
}

const userAgent = (): string =>
  (globalThis as { readonly navigator?: { readonly userAgent?: string } }).navigator?.userAgent ?? '';

/** Node's fetch reports a network error as a TypeError with a cause. An error thrown by a mock does not have this shape. */
function isNetworkErrorOfFetch(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TypeError') return false;
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return false;
  if (Reflect.get(cause, 'type') === 'error') return true; // MSW's HttpResponse.error()
  const code = codeOf(cause);
  if (code !== undefined) return !LOCAL_CODE.test(code);
  return UNCODED.test(String(Reflect.get(cause, 'name'))) || isConnectFailure(cause);
}

/** The code of the outermost error that has one. */
function codeOf(error: unknown): string | undefined {
  let next: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && typeof next === 'object' && next !== null; depth += 1) {
    const code: unknown = Reflect.get(next, 'code');
    if (typeof code === 'string') return code;
    // Connecting to several addresses fails with one error per address.
    const several: unknown = Reflect.get(next, 'errors');
    next = Array.isArray(several) && several.length > 0 ? several[0] : Reflect.get(next, 'cause');
  }
  return undefined;
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? `: ${cause.cause.message}` : '';
  return `${cause.message || codeOf(cause) || cause.name}${inner}`;
}
