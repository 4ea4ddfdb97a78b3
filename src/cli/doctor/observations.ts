import type { Issue } from '../../errors/index.js';
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../../hub/endpoints.js';
import type { HostProfile } from '../../hub/profile.js';
import { DEFAULTS } from '../../options/client-options.js';
import { profileOption } from '../../options/profile.js';
import { isObject } from '../../reading/json.js';
import type { OrderEvent } from '../../schemas/event.js';
import { isSuccess } from '../exchange.js';
import { formatAgainst, formatAhead, formatCount, formatTimes, shortened, tally } from '../format.js';
import { MAX_SKEW_MS } from './checks/common.js';
import { type EndpointResult, fieldOf, jsonOf, responsesOf, unknownTypesOf } from './checks/observed.js';
import type { Recorder } from './recorder.js';

/** The largest number of event types, or kinds of issues, that are listed. */
const MAX_LISTED = 12;

/** The form of the token's lifetime (field notes: a number, a string, an instant, or missing). */
export function observeToken(recorder: Recorder): readonly string[] {
  const token = responsesOf(recorder, 'token').at(-1);
  if (!token) return ['the token is from an earlier run, so the credentials were not checked'];
  const json = jsonOf(token);
  if (json === undefined) return [];
  const lifetime = fieldOf(json, 'expires_in') ?? fieldOf(json, 'expiresIn');
  if (lifetime === undefined || lifetime === null) return ['sends no token lifetime; one hour is assumed'];
  const number = Number(lifetime);
  const isInstant = number > 1e11;
  if (!((isInstant ? number - token.respondedAt : number) > 0)) {
    return ['sends an unusable token lifetime; one hour is assumed'];
  }
  if (isInstant) return ['sends the token lifetime as an instant, not in seconds'];
  return typeof lifetime === 'string' ? ['sends the token lifetime as a string'] : [];
}

export function observePoll(events: readonly OrderEvent[], recorder: Recorder): readonly string[] {
  if (events.length > 0) {
    const unknown = [...unknownTypesOf(events)].map(
      (type) => `sends an event type that is not in the spec: ${type}`,
    );
    return [
      `${formatCount(events.length, 'pending event')}; the doctor does not acknowledge events`,
      ...shortened(unknown, MAX_LISTED, (left) => `and ${formatCount(left, 'more event type')}`),
    ];
  }
  const { status = 0, body } = responsesOf(recorder, 'polling').at(-1) ?? {};
  if (body === '') return [`no events: ${status} without a body`];
  // Any other body may contain the data of a customer.
  const [list] = /^\s*(?:\[\s*\]|\{\s*"(?:events|data)"\s*:\s*\[\s*\]\s*\})\s*$/.exec(body ?? '') ?? [];
  if (list !== undefined) return [`no events: ${status} with ${list.replace(/\s/g, '')}`];
  return [`no usable event: ${status} with a body that is not an empty list`];
}

/** Which addresses of an endpoint were called, and the statuses of their responses. */
export function observeCalls(
  endpoint: EndpointName,
  { exchanges }: Pick<Recorder, 'exchanges'>,
): readonly string[] {
  const calls = exchanges
    .filter((each) => each.endpoint === endpoint)
    .map(({ init, url, status = 'no response' }) => `${init.method} ${url}: ${status}`);
  return tally(calls).map(formatTimes);
}

/** Why nothing that the examination has seen says anything about the hub; undefined: it does. */
export function whyInconclusive({ exchanges, hosts }: Recorder): string | undefined {
  const statuses = exchanges.flatMap(({ status }) => status ?? []);
  if (exchanges.length === 0) return 'no request was sent';
  if (statuses.length === 0) {
    return `no response from ${hosts.join(' and ')}; check the address and the network`;
  }
  if (exchanges.some(isSuccess)) return undefined;
  const isRefused = statuses.some((status) => status >= 300 && status < 500 && status !== 429);
  const remedy = isRefused ? 'check HUB_BASE_URL, HUB_BASE_PATH and the credentials' : 'try again later';
  return `nothing could be tested: no request was successful; ${remedy}`;
}

function limitOf(recorder: Recorder, endpoint: EndpointName): number | undefined {
  const limit = responsesOf(recorder, endpoint).at(-1)?.headers['x-ratelimit-limit']?.trim() ?? '';
  return /^\d{1,9}$/.test(limit) ? Number(limit) : undefined;
}

/**
 * What all responses together show. Without any response, only that is said.
 *
 * @param inconclusive - see `whyInconclusive`.
 * @param refused - forms of the token request that the hub has refused too.
 */
export function* observeAll(
  recorder: Recorder,
  inconclusive: string | undefined,
  findings: readonly Pick<EndpointResult, 'result'>[],
  refused: readonly string[],
): Generator<string> {
  const { exchanges } = recorder;
  const responses = exchanges.filter(({ status }) => status !== undefined);
  if (inconclusive !== undefined) yield inconclusive;
  if (responses.length === 0) return;
  const failed = findings.filter(({ result }) => result === 'failed').length;
  if (failed > 0) yield `${failed} of ${findings.length} endpoints failed`;
  if (refused.length > 0) yield `also refuses the token request with ${refused.join(', ')}`;
  const tokens = exchanges.filter(({ endpoint }) => endpoint === 'token').length;
  yield `the doctor has sent ${formatCount(exchanges.length, 'request')}, ${tokens} of them for a token`;
  for (const endpoint of ENDPOINT_NAMES) {
    const limit = limitOf(recorder, endpoint) ?? 0;
    if (limit > ENDPOINTS[endpoint].limit) {
      yield `${endpoint}: X-RateLimit-Limit is ${limit}, more than in the spec; the window is not known`;
    }
  }
  const withLimits = responses.filter(({ headers }) => headers['x-ratelimit-limit'] !== undefined).length;
  yield withLimits === 0
    ? 'sends no X-RateLimit headers; the client applies the limits of Spec §8'
    : `sends X-RateLimit headers in ${withLimits} of ${responses.length} responses`;
  const rateLimited = responses.filter(({ status }) => status === 429);
  for (const { url, headers } of rateLimited) {
    yield `429, Retry-After: ${headers['retry-after'] ?? 'none'}, at ${new URL(url).pathname}`;
  }
  if (rateLimited.length === 0) yield 'no response was 429, so the form of Retry-After is unknown';
  const [aheadMs = 0] = responses
    .map(({ headers, respondedAt }) => Date.parse(headers.date ?? '') - respondedAt)
    .filter((ms) => !Number.isNaN(ms));
  if (Math.abs(aheadMs) > MAX_SKEW_MS) yield `the hub's clock is ${formatAhead(aheadMs)}`;
}

/** Issues grouped by code, what they are against, and path, the most frequent first. */
export function observeIssues(issues: readonly Issue[]): readonly string[] {
  if (issues.length === 0) return [];
  const kinds = tally(
    issues.map(({ path, code, message, against }) => {
      const place = path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
      return `${code} ${place}: ${message} (${formatAgainst(against)})`;
    }),
  ).sort(([, one], [, other]) => other - one);
  const lines = kinds.map(([line, times]) => `  ${times} × ${line}`);
  return [
    `${formatCount(issues.length, 'issue')} of ${formatCount(kinds.length, 'kind')}`,
    ...shortened(lines, MAX_LISTED, (left) => `  and ${formatCount(left, 'more kind')}`),
  ];
}

const PATHS = Object.fromEntries(ENDPOINT_NAMES.map((name) => [name, ENDPOINTS[name].path]));

/**
 * The profile of the host as far as the doctor knows it: what differs from the
 * spec. Without headers, which may be secret, and without a signer, which is not data.
 *
 * @param profile - with which the host accepted the requests.
 */
export function foundProfile(profile: HostProfile, recorder: Recorder): HostProfile {
  const { headers: _, sign: __, ...given } = profileOption.check('profile', profile);
  const limits = { ...given.limits, ...stricterLimits(recorder) };
  const defaults = { ...profileOption.default, basePath: DEFAULTS.basePath, paths: PATHS };
  return differing({ ...given, limits }, defaults);
}

/** The fields that differ from the defaults, at any depth. */
function differing(values: object, defaults: object): object {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const usual: unknown = Reflect.get(defaults, key);
      const changed = isObject(value) && isObject(usual) ? differing(value, usual) : value;
      const isUsual = value === usual || (isObject(changed) && Object.keys(changed).length === 0);
      return value === undefined || isUsual ? [] : [[key, changed]];
    }),
  );
}

/** Limits below those of the spec. The headers do not say how long the window is: it is taken to be that of the spec. */
function stricterLimits(recorder: Recorder): NonNullable<HostProfile['limits']> {
  const found = ENDPOINT_NAMES.flatMap((name) => {
    const requests = limitOf(recorder, name);
    const { limit, windowMs } = ENDPOINTS[name];
    return requests !== undefined && requests > 0 && requests < limit ? [[name, { requests, windowMs }]] : [];
  });
  return Object.fromEntries(found) as NonNullable<HostProfile['limits']>;
}
