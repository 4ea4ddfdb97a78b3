import type { ResolvedProfile, TokenFormat } from '../hub/profile.js';
import { parseJson } from '../reading/json.js';
import type { HubState } from './hub-state.js';
import { type MockResponse, problem } from './response.js';
import { type MockRequest, mediaTypeOf } from './router.js';

const MEDIA_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const;

interface TokenCredentials {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/** The credentials of a token request, from where this host expects them. */
export function tokenCredentials(
  { headers, body }: Pick<MockRequest, 'headers' | 'body'>,
  format: TokenFormat,
): TokenCredentials {
  if (format.credentials === 'basic') return basicCredentials(headers.get('authorization') ?? '');
  const field = fieldsOf(body, format);
  return { clientId: field(format.fields.clientId), clientSecret: field(format.fields.clientSecret) };
}

/** Refuses a token request that this host does not understand. This comes before the credentials are checked. */
export function refuseMalformedToken(
  { endpoint, headers, body }: MockRequest,
  state: HubState,
): MockResponse | undefined {
  if (endpoint !== 'token') return undefined;
  const format = state.options.profile.token;
  const mediaType = MEDIA_TYPES[format.body];
  if (mediaTypeOf(headers) !== mediaType) {
    state.broken.add(
      'content-type',
      `the token request must be ${mediaType}, as the profile says (default: Spec §4.1)`,
    );
    return problem(400, `content type must be ${mediaType}`);
  }
  const field = fieldsOf(body, format);
  const { clientId, clientSecret, grantType } = format.fields;
  const inBody = format.credentials === 'body' ? [clientId, clientSecret, grantType] : [grantType];
  const missing = inBody.find((name) => !field(name));
  if (missing) return problem(400, `${missing} is missing`);
  const expected = Object.entries({ ...format.extra, [grantType]: format.grantType });
  const wrong = expected.find(([name, value]) => field(name) !== value);
  return wrong && problem(400, `${wrong[0]} is invalid`);
}

/** Reads the strings among the fields of a body. */
function fieldsOf(body: string, format: TokenFormat): (name: string) => string | undefined {
  if (format.body === 'form') {
    const form = new URLSearchParams(body);
    return (name) => form.get(name) ?? undefined;
  }
  const parsed = parseJson(body);
  return (name) => {
    const value: unknown = Reflect.get(Object(parsed), name);
    return typeof value === 'string' ? value : undefined;
  };
}

/** RFC 7617, with both parts form-encoded (RFC 6749 §2.3.1). */
function basicCredentials(header: string): TokenCredentials {
  const encoded = /^basic +(\S+)$/i.exec(header)?.[1] ?? '';
  const [, clientId, clientSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return { clientId: decoded(clientId), clientSecret: decoded(clientSecret) };
}

const decoded = (text: string | undefined) =>
  text === undefined ? undefined : (new URLSearchParams(`_=${text}`).get('_') ?? undefined);

export function refuseHeaders({ headers }: MockRequest, state: HubState): MockResponse | undefined {
  const { profile } = state.options;
  const names = Object.keys(profile.headers);
  const wrong = names.find((name) => headers.get(name) !== profile.headers[name]);
  if (wrong === undefined) return undefined;
  state.broken.add('host-header', `the header ${wrong}, which this host requires, is missing or wrong`);
  return problem(401, `${wrong} is missing or wrong`);
}

/** What is wrong with the signature of a request; undefined: nothing. The host's own signer decides. */
export async function mistakeInSignature(
  { method, headers, body }: MockRequest,
  url: string,
  sign: NonNullable<ResolvedProfile['sign']>,
): Promise<string | undefined> {
  try {
    const signature = await sign({ method, url, headers: Object.fromEntries(headers), body });
    const wrong = Object.keys(signature).find((name) => headers.get(name) !== signature[name]);
    return wrong && `the header ${wrong} is ${headers.has(wrong) ? 'not the right signature' : 'missing'}`;
  } catch (error) {
    return `the signature cannot be checked: ${error instanceof Error ? error.message : String(error)}`;
  }
}
