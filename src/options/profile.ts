import { ConfigurationError } from '../errors/index.js';
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../hub/endpoints.js';
import type {
  HostLimit,
  HostProfile,
  RequestSigner,
  ResolvedProfile,
  StatusMeaning,
  TokenFormat,
} from '../hub/profile.js';
import { commandsOption } from '../progress/command-options.js';
import { boolean, type Check, listOf, number, object, oneOf, resolve, string } from './checks.js';
import { headers } from './headers.js';
import { checksOf, defaultsOf, type Option, option, optionGroup, withoutDefault } from './table.js';
import { address, basePath, path } from './url.js';

const perEndpoint =
  <Value>(check: (name: string, value: unknown, endpoint: EndpointName) => Value) =>
  (name: string, value: unknown): Partial<Record<EndpointName, Value>> => {
    const checkOf = (endpoint: EndpointName): [EndpointName, Check<Value>] => [
      endpoint,
      (each, given) => check(each, given, endpoint),
    ];
    const checks = Object.fromEntries(ENDPOINT_NAMES.map(checkOf)) as Record<EndpointName, Check<Value>>;
    return Object.freeze(resolve<Partial<Record<EndpointName, Value>>>(`${name}.`, value, {}, checks));
  };

const PLACEHOLDER = /\{[^}]*\}/g;

/** The path of an endpoint, with the same placeholders as the one of Spec §4. */
const endpointPath = perEndpoint((name, value, endpoint) => {
  const own = ENDPOINTS[endpoint].path;
  const needed = own.match(PLACEHOLDER) ?? [];
  const given = string(`a path such as '${own}'`)(name, value);
  path(name, given.replace(PLACEHOLDER, 'x').replace(/\/$/, '?'), own);
  const segments = given.split('/');
  const found = given.match(PLACEHOLDER) ?? [];
  if (found.length === needed.length && needed.every((each) => segments.includes(each))) return given;
  throw new ConfigurationError(
    name,
    needed.length === 0
      ? `must not contain a placeholder; pass a path such as '${own}'`
      : `must contain ${needed.join(' and ')}, each as a whole path segment, as in '${own}'`,
  );
});

/** @throws {ConfigurationError} two endpoints have the same method and path. */
const paths: Check<ResolvedProfile['paths']> = (name, value) => {
  const given = endpointPath(name, value);
  const keys = ENDPOINT_NAMES.map(
    (each) => `${ENDPOINTS[each].method} ${given[each] ?? ENDPOINTS[each].path}`,
  );
  for (const [index, endpoint] of ENDPOINT_NAMES.entries()) {
    const other = keys.findIndex((key, at) => at !== index && key === keys[index]);
    if (other !== -1 && given[endpoint] !== undefined) {
      throw new ConfigurationError(
        `${name}.${endpoint}`,
        `must not be the path of ${ENDPOINT_NAMES[other]}, which has the same HTTP method; give each its own path`,
      );
    }
  }
  return given;
};

const LIMIT = {
  requests: number({ min: 1, integer: true, unit: 'requests' }),
  windowMs: number({ min: 1, max: 86_400_000, unit: 'ms' }),
};

const limits = perEndpoint<HostLimit>((name, value) => {
  const { requests, windowMs } = resolve<Partial<HostLimit>>(`${name}.`, value, {}, LIMIT);
  // Both are needed.
  return Object.freeze({
    requests: LIMIT.requests(`${name}.requests`, requests),
    windowMs: LIMIT.windowMs(`${name}.windowMs`, windowMs),
  });
});

const text = (example: string) => string(`a string such as '${example}'`);

const extra: Check<TokenFormat['extra']> = (name, value) => {
  const given = object<object>("an object such as { scope: 'od.all' }")(name, value);
  const entries = Object.entries(given).map(([key, each]) => [key, text('od.all')(`${name}.${key}`, each)]);
  return Object.freeze(Object.fromEntries(entries));
};

const tokenGroup = optionGroup<TokenFormat>({
  body: option<'form' | 'json'>('form', oneOf('form', 'json')),
  credentials: option<'body' | 'basic'>('body', oneOf('body', 'basic')),
  fields: optionGroup<TokenFormat['fields']>({
    clientId: option('client_id', text('clientId')),
    clientSecret: option('client_secret', text('clientSecret')),
    grantType: option('grant_type', text('grantType')),
  }) as Option<TokenFormat['fields']>,
  grantType: option('client_credentials', text('client_credentials')),
  extra: option<TokenFormat['extra']>(Object.freeze({}), extra),
  clientIdFormat: withoutDefault(text('{app}_{shop}')),
  per: withoutDefault(oneOf('shop', 'application')),
});

/** @throws {ConfigurationError} two fields of the body have the same name: one would replace the other. */
const token: Option<TokenFormat> = {
  default: tokenGroup.default,
  check: (name, value) => {
    const given = tokenGroup.check(name, value);
    const names = Object.values(given.fields);
    if (new Set(names).size < names.length) {
      throw new ConfigurationError(
        `${name}.fields`,
        'must be three different names; one field would replace another',
      );
    }
    const twice = names.find((each) => each in given.extra);
    if (twice === undefined) return given;
    throw new ConfigurationError(
      `${name}.extra.${twice}`,
      `must not be the name of a field in ${name}.fields`,
    );
  },
};

/** A function whose result is checked at every call: its headers would otherwise fail somewhere in the transport. */
const signer: Check<RequestSigner> = (name, value) => {
  if (typeof value !== 'function') {
    throw new ConfigurationError(name, 'must be a function that returns an object of headers');
  }
  const sign = value as RequestSigner;
  return async (request) => headers(name, await sign(request));
};

const status = (min: number, max: number) => number({ min, max, integer: true, unit: 'an HTTP status' });

const MEANING = {
  status: status(300, 599),
  endpoints: listOf(oneOf(...ENDPOINT_NAMES)),
  meaning: text('the host answers this until …'),
};

const statusMeaning: Check<StatusMeaning> = (name, value) => {
  const given = resolve<Partial<StatusMeaning>>(`${name}.`, value, {}, MEANING);
  // Both are needed.
  MEANING.status(`${name}.status`, given.status);
  MEANING.meaning(`${name}.meaning`, given.meaning);
  return Object.freeze(given) as StatusMeaning;
};

const webhook = optionGroup<ResolvedProfile['webhook']>({
  accepted: withoutDefault(status(200, 299)) as Option<number | undefined>,
  unsigned: option<401 | 403>(401, oneOf(401, 403)),
});

/** At least one, or the host would accept nothing. */
const codes: Check<readonly string[]> = (name, value) => {
  const given = listOf(text('UNAVAILABLE_ITEM'))(name, value);
  if (given.length > 0) return given;
  throw new ConfigurationError(
    name,
    'must contain at least one code; leave it out if the host accepts every code',
  );
};

const duration = number({ min: 1, unit: 'ms' });

type Table = { readonly [Name in keyof Required<ResolvedProfile>]: Option<ResolvedProfile[Name]> };

const OPTIONS = {
  name: withoutDefault(text('a host')),
  basePath: withoutDefault(basePath),
  tokenUrl: withoutDefault(address('verbatim')),
  headers: option<ResolvedProfile['headers']>(Object.freeze({}), headers),
  paths: option<ResolvedProfile['paths']>(Object.freeze({}), paths),
  token,
  limits: option<ResolvedProfile['limits']>(Object.freeze({}), limits),
  commands: commandsOption,
  cancellationCodes: withoutDefault(codes),
  denialCodes: withoutDefault(codes),
  eventTypes: option<readonly string[]>(Object.freeze([]), listOf(text('REFUNDED'))),
  eventLifetimeMs: withoutDefault(duration),
  confirmWithinMs: withoutDefault(duration),
  itemUnit: withoutDefault(text('UN')),
  statusUntilAllowed: withoutDefault(status(400, 499)),
  webhook,
  statusMeanings: option<readonly StatusMeaning[]>(Object.freeze([]), listOf(statusMeaning)),
  requiresMerchants: option(false, boolean()),
  requiresSignature: option(false, boolean()),
  sign: withoutDefault(signer),
} as Table;

const DEFAULTS: ResolvedProfile = defaultsOf(OPTIONS);
const CHECKS = checksOf(OPTIONS);

const check: Check<ResolvedProfile> = (name, value) =>
  Object.freeze(resolve<ResolvedProfile>(`${name}.`, value, DEFAULTS, CHECKS));

/** The option `profile` of clients, fleets and the mock hub. */
export const profileOption = option(DEFAULTS, check) as Option<ResolvedProfile, HostProfile>;

/** The client options that a profile can also set. */
interface Addresses {
  readonly profile: ResolvedProfile;
  readonly basePath: string;
  readonly tokenUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The options with what the profile sets and the application has not. */
export function withProfile<T extends Addresses>(resolved: T, given: Partial<Addresses> | object): T {
  const { profile } = resolved;
  if (profile === DEFAULTS) return resolved;
  const isGiven = (name: keyof Addresses) => Reflect.get(given, name) !== undefined;
  return {
    ...resolved,
    basePath: isGiven('basePath') ? resolved.basePath : (profile.basePath ?? resolved.basePath),
    tokenUrl: resolved.tokenUrl ?? profile.tokenUrl,
    headers: { ...profile.headers, ...resolved.headers },
  };
}
