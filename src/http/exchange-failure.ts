import { isConnectFailure } from './connect-failure.js';

/**
 * `network`: the network or the hub failed, and a retry may help. `local`:
 * something in this process failed (a mock without a matching handler, a bug in
 * a fetch), and a retry does not help.
 */
type Origin = 'network' | 'local';

/** There is no response: why, and whether the hub may have received the request. */
export class ExchangeFailure extends Error {
  readonly origin: Origin;
  /** The error code of Node or undici, if there is one. */
  readonly code: string | undefined;
  readonly mayHaveReachedHub: boolean;

  private constructor(cause: unknown, origin: Origin, mayHaveReachedHub: boolean) {
    super(describe(cause), { cause });
    this.origin = origin;
    this.code = codeOf(cause);
    this.mayHaveReachedHub = mayHaveReachedHub;
  }

  /** @param isFromConnector - the connector reported the error, so no connection was opened. */
  static ofDispatcher(error: unknown, isFromConnector: boolean): ExchangeFailure {
    const isLocal = isLocalCode(codeOf(error)) || isProgrammingError(error);
    return new ExchangeFailure(
      error,
      isLocal ? 'local' : 'network',
      !isFromConnector && !isConnectFailure(error),
    );
  }

  static ofFetch(error: unknown): ExchangeFailure {
    return new ExchangeFailure(
      error,
      isNetworkErrorOfFetch(error) ? 'network' : 'local',
      !isConnectFailure(error),
    );
  }
}

/** undici errors without a code: the connection ended, or the bytes received are not HTTP. */
const UNCODED: ReadonlySet<string> = new Set(['SocketError', 'HTTPParserError']);

/** Wrong arguments, a dispatcher that the application has closed, a missing module, a mock without a handler. */
const LOCAL_CODE =
  /^(?:ERR_(?:INVALID|MISSING|MODULE|REQUIRE|UNSUPPORTED|UNKNOWN|OUT_OF_RANGE|METHOD|HTTP_INVALID)_|MODULE_NOT_FOUND$|UND_MOCK_ERR_|UND_ERR_(?:INVALID_ARG|INVALID_RETURN_VALUE|NOT_SUPPORTED|CLOSED|DESTROYED|REQ_CONTENT_LENGTH_MISMATCH)$)/;

const PROGRAMMING_ERRORS: ReadonlySet<string> = new Set([
  'TypeError',
  'ReferenceError',
  'RangeError',
  'SyntaxError',
  'EvalError',
]);

const isLocalCode = (code: string | undefined) => code !== undefined && LOCAL_CODE.test(code);

const isProgrammingError = (error: unknown) =>
  error instanceof Error && codeOf(error) === undefined && PROGRAMMING_ERRORS.has(error.name);

/** fetch reports a network error as a TypeError with a cause. An error thrown by a mock does not have this shape. */
function isNetworkErrorOfFetch(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TypeError') return false;
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return false;
  if (Reflect.get(cause, 'type') === 'error') return true; // MSW's HttpResponse.error()
  const code = codeOf(cause);
  if (code !== undefined) return !isLocalCode(code);
  return UNCODED.has(String(Reflect.get(cause, 'name'))) || isConnectFailure(cause);
}

/** The code of the outermost error that has one. */
function codeOf(error: unknown): string | undefined {
  let next: unknown = error;
  for (let depth = 0; depth < 5 && typeof next === 'object' && next !== null; depth += 1) {
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
