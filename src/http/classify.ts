import {
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  type HubError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
} from '../errors.js';

export interface Refusal extends ApiErrorOptions {
  readonly retryAfterMs: number;
}

const WHICH = { none: 'token', bearer: 'bearer', apiKey: 'apiKey' } as const;

/** Where to look first, by status and endpoint. */
function remedy(status: number, auth: keyof typeof WHICH): string {
  if (auth === 'none' && (status === 400 || status === 401 || status === 403)) {
    return 'check clientId and clientSecret';
  }
  if (status === 401 || status === 403) {
    return auth === 'apiKey'
      ? 'check apiKey'
      : 'the hub does not accept the token it issued; one that is refused is renewed when it is 5 minutes old';
  }
  if (status === 404) return 'if it is not about one order, check baseUrl and basePath';
  if (status >= 300 && status < 400) return 'redirects are not followed; check baseUrl';
  return '';
}

/** The error of a status that is no success (Spec §7). */
export function errorOf(refusal: Refusal, auth: keyof typeof WHICH): HubError {
  const { status, endpoint } = refusal;
  const title = titleOf(refusal.body);
  const hint = remedy(status, auth);
  const message = `${endpoint}: the hub answered ${status}${title && ` (${title})`}${hint && `; ${hint}`}`;
  const credentials = status === 401 || status === 403 || (status === 400 && auth === 'none');
  if (credentials) return new AuthenticationError(message, { ...refusal, which: WHICH[auth] });
  if (status === 400) return new BadRequestError(message, refusal);
  if (status === 404) return new NotFoundError(message, refusal);
  if (status === 429) return new RateLimitError(message, { ...refusal, origin: 'hub' });
  if (status >= 500 && status <= 599) return new ServerError(message, refusal);
  return new UnexpectedStatusError(message, refusal);
}

/** What an error body says of itself: `{title}` of the standard, `{error: {message}}` of other hosts. */
function titleOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    const candidates = [['title'], ['error', 'message'], ['error_description'], ['message'], ['error']];
    for (const path of candidates) {
      const value = path.reduce<unknown>(
        (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
        parsed,
      );
      if (typeof value === 'string' && value !== '') return value.slice(0, 200);
    }
  } catch {
    // HTML, plain text or nothing: the body is in the error, whole.
  }
  return '';
}
