import type { EndpointName } from '../endpoints.js';
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

/** A response with a status other than 2xx. */
export interface ErrorResponse extends ApiErrorOptions {
  readonly retryAfterMs: number;
}

const WHICH = { none: 'token', bearer: 'bearer', apiKey: 'apiKey' } as const;
type Auth = keyof typeof WHICH;

/** The typed error of a response with a status other than 2xx (Spec §7). */
export function errorOf(response: ErrorResponse, auth: Auth): HubError {
  const { status, endpoint } = response;
  const { title } = response;
  const remedy = remedyOf(endpoint, status, auth);
  const message = `${endpoint}: the hub responded with ${status}${title ? ` (${title})` : ''}${remedy && `; ${remedy}`}`;
  if (isAboutCredentials(status, auth)) {
    return new AuthenticationError(message, { ...response, which: WHICH[auth] });
  }
  if (status === 400) return new BadRequestError(message, response);
  if (status === 404) return new NotFoundError(message, response);
  if (status === 429) return new RateLimitError(message, { ...response, origin: 'hub' });
  if (status >= 500 && status <= 599) return new ServerError(message, response);
  return new UnexpectedStatusError(message, response);
}

const isAboutCredentials = (status: number, auth: Auth) =>
  status === 401 || status === 403 || (status === 400 && auth === 'none');

function remedyOf(endpoint: EndpointName, status: number, auth: Auth): string {
  if (isAboutCredentials(status, auth)) {
    if (auth === 'none')
      return 'check clientId and clientSecret, and the form of the token request (option profile)';
    return auth === 'apiKey'
      ? 'check apiKey'
      : 'the hub does not accept the token that it issued; the client renews a rejected token once it is 5 minutes old';
  }
  if (status === 404) {
    return endpoint === 'order' || endpoint === 'orderStatus'
      ? 'the hub does not know this order; if that happens with every order, check baseUrl and basePath, or the paths of the profile'
      : 'check baseUrl and basePath, or the paths of the profile';
  }
  if (status >= 300 && status < 400) return 'redirects are not followed; check baseUrl';
  return '';
}

/** Where an error body has its message: `title` in the standard, other keys at other hosts. */
const TITLE_PATHS = [['title'], ['error', 'message'], ['error_description'], ['message'], ['error']];

/** What an error body says is wrong; undefined if it does not say it, or is not JSON. */
export function titleOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    for (const path of TITLE_PATHS) {
      const value = path.reduce<unknown>(
        (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
        parsed,
      );
      if (typeof value === 'string' && value !== '') return value;
    }
  } catch {
    // HTML, plain text or nothing: the error has the body.
  }
  return undefined;
}
