import {
  type ApiErrorOptions,
  AuthenticationError,
  BadRequestError,
  type HubError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnexpectedStatusError,
} from '../errors/index.js';
import type { Endpoint } from '../hub/endpoints.js';
import type { StatusMeaning } from '../hub/profile.js';
import type { GetHeader } from '../quota/headers.js';
import { isObject, parseJson } from '../reading/json.js';
import { textOf } from './body.js';
import type { Sender } from './call.js';
import { isRejection, OF_PROXIES, outcomeOf } from './failure.js';
import type { RawResponse } from './transport.js';

const WHICH = { none: 'token', bearer: 'bearer', apiKey: 'apiKey' } as const;
type Auth = keyof typeof WHICH;

/** How much of an error page is kept in its error, and of what it says is wrong. */
const MAX_KEPT_BYTES = 4096;
const MAX_TITLE_CHARACTERS = 200;

/**
 * The typed error of a response with a status other than 2xx (Spec §7).
 *
 * @param facts - what is known beside the response.
 * @param meanings - what the host's profile says of statuses.
 */
export function refusalOf(
  raw: RawResponse,
  row: Endpoint,
  sender: Sender,
  facts: Pick<ApiErrorOptions, 'endpoint' | 'attempts' | 'requestId'> & { readonly retryAfterMs: number },
  meanings: readonly StatusMeaning[],
): HubError {
  const { status } = raw;
  const { auth } = row;
  const page = textOf(raw);
  const found = titleOf(page);
  const title = found === undefined ? undefined : sender.quote(found, MAX_TITLE_CHARACTERS);
  const response = {
    ...facts,
    status,
    // A mask may be longer than the secret.
    body: kept(sender.mask(page, keptLengthOf(page))),
    ...(title !== undefined && { title }),
    ...outcomeOf(row, !isRejection(status)),
  };
  const { endpoint } = facts;
  const atHost = meanings
    .filter((each) => each.status === status && (each.endpoints?.includes(endpoint) ?? true))
    .map(({ meaning }) => `; ${status}: ${meaning}`)
    .join('');
  const remedy = remedyOf(row, status);
  const message = `${endpoint}: the hub responded with ${status}${title ? ` (${title})` : ''}${atHost}${remedy && `; ${remedy}`}`;
  if (isAboutCredentials(status, auth)) {
    return new AuthenticationError(message, { ...response, which: WHICH[auth] });
  }
  if (status === 400) return new BadRequestError(message, response);
  if (status === 404) return new NotFoundError(message, response);
  if (status === 429) return new RateLimitError(message, { ...response, origin: 'hub' });
  if (status >= 500 && status <= 599) return new ServerError(message, response);
  return new UnexpectedStatusError(message, { ...response, retryable: OF_PROXIES.has(status) });
}

/** How many characters at the start of a text have at most `MAX_KEPT_BYTES`. */
const kept = (text: string): string => text.slice(0, keptLengthOf(text));

const keptLengthOf = (text: string): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(MAX_KEPT_BYTES)).read;

const isAboutCredentials = (status: number, auth: Auth) =>
  status === 401 || status === 403 || (status === 400 && auth === 'none');

function remedyOf({ auth, path }: Endpoint, status: number): string {
  if (isAboutCredentials(status, auth)) {
    if (auth === 'none')
      return 'check clientId and clientSecret, and the form of the token request (option profile)';
    return auth === 'apiKey'
      ? 'check apiKey'
      : 'the hub does not accept the token that it issued; the client renews a rejected token once it is 5 minutes old';
  }
  if (status === 404) {
    return path.includes('{orderId}')
      ? 'the hub does not know this order; if that happens with every order, check baseUrl and basePath, or the paths of the profile'
      : 'check baseUrl and basePath, or the paths of the profile';
  }
  if (status >= 300 && status < 400 && status !== 304) return 'redirects are not followed; check baseUrl';
  return '';
}

/** Where an error body has its message: `title` in the standard, other keys at other hosts. */
const TITLE_PATHS = [['title'], ['error', 'message'], ['error_description'], ['message'], ['error']];

/** What an error body says is wrong; undefined if it does not say it, or is not JSON. */
function titleOf(body: string): string | undefined {
  const parsed = parseJson(body);
  return TITLE_PATHS.map((path) =>
    path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), parsed),
  ).find((value): value is string => typeof value === 'string' && value !== '');
}

/** Headers in which hubs, and the proxies in front of them, identify a request; the first one present is used. */
const HEADERS = ['x-request-id', 'x-correlation-id', 'traceparent', 'cf-ray'] as const;

/** Longer than every format in use: a UUID has 36 characters, a traceparent 55. */
const MAX_LENGTH = 128;

/** The hub's id of a request, in printable ASCII, with secrets masked. */
export function requestIdOf(header: GetHeader, sender: Sender): { requestId?: string } {
  for (const name of HEADERS) {
    const value = header(name)?.trim();
    if (!value) continue;
    const requestId = sender.mask(value, MAX_LENGTH);
    return { requestId: requestId.replace(/[^\x20-\x7e]/g, '?') };
  }
  return {};
}
