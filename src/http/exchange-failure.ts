import { isConnectFailure } from './connect-failure.js';

/**
 * What failed: the network or the hub, which may be better in a second; or
 * neither of them (a mock without a matching handler, a bug in a fetch), which
 * stays as it is.
 */
type Origin = 'network' | 'local';

/** Why there is no response. */
export class ExchangeFailure extends Error {
  readonly origin: Origin;
  readonly mayHaveReachedHub: boolean;

  private constructor(cause: unknown, origin: Origin, mayHaveReachedHub: boolean) {
    super(describe(cause), { cause });
    this.origin = origin;
    this.mayHaveReachedHub = mayHaveReachedHub;
  }

  /** @param isFromConnector - the connector reported it, so no connection was opened. */
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

/** Failures of undici's that carry no code: the connection ended, or what came over it is not HTTP. */
const UNCODED: ReadonlySet<string> = new Set(['SocketError', 'HTTPParserError']);

/** Wrong arguments, a dispatcher that its owner has closed, a module that is missing, a mock without a handler. */
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

/** fetch reports the network as a TypeError with a cause; an error of a mock's own looks otherwise. */
function isNetworkErrorOfFetch(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TypeError') return false;
  const { cause } = error;
  if (typeof cause !== 'object' || cause === null) return false;
  if (Reflect.get(cause, 'type') === 'error') return true; // MSW's HttpResponse.error()
  const code = codeOf(cause);
  if (code !== undefined) return !isLocalCode(code);
  return UNCODED.has(String(Reflect.get(cause, 'name'))) || isConnectFailure(cause);
}

/** The first code from the outside in. */
function codeOf(error: unknown): string | undefined {
  let next: unknown = error;
  for (let depth = 0; depth < 5 && typeof next === 'object' && next !== null; depth += 1) {
    const code: unknown = Reflect.get(next, 'code');
    if (typeof code === 'string') return code;
    // A connect to several addresses fails with one error for each of them.
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
