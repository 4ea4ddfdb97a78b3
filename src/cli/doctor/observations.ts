import type { Issue } from '../../errors/index.js';
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../../hub/endpoints.js';
import type { OrderEvent } from '../../schemas/event.js';
import { formatAgainst, formatCount, formatDuration } from '../format.js';
import { fieldOf, jsonOf, responsesOf, unknownTypesOf } from './checks/observed.js';
import type { Recorder } from './recorder.js';

/** The largest number of event types, or kinds of issues, that are listed. */
const MAX_LISTED = 12;

/** A longer response to a poll without events is not shown. */
const MAX_POLL_LENGTH = 64 * 1024;

/** Masks and truncates a text that the hub sent; see `Terminal.truncate`. */
export type Truncate = (text: string, max: number) => string;

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

export function observePoll(
  events: readonly OrderEvent[],
  recorder: Recorder,
  truncate: Truncate,
): readonly string[] {
  if (events.length > 0) {
    const unknown = unknownTypesOf(events);
    return [
      `${formatCount(events.length, 'pending event')}; the doctor does not acknowledge events`,
      ...[...unknown]
        .slice(0, MAX_LISTED)
        .map((type) => `sends the event type ${truncate(type, 60)}, which is not in the spec`),
      ...(unknown.size > MAX_LISTED ? [`and ${unknown.size - MAX_LISTED} more event types`] : []),
    ];
  }
  const { status = 0, body } = responsesOf(recorder, 'polling').at(-1) ?? {};
  if (body === undefined || body.length > MAX_POLL_LENGTH)
    return [`no events: ${status} with a body of more than 64 KiB`];
  return [`no events: ${status}${body === '' ? ' without a body' : ` with ${truncate(body, 40)}`}`];
}

/** Which addresses of an endpoint were called, and the statuses of their responses. */
export function observeCalls(
  endpoint: EndpointName,
  { exchanges }: Pick<Recorder, 'exchanges'>,
): readonly string[] {
  const calls = new Map<string, number>();
  for (const { init, url, status, ...call } of exchanges) {
    if (call.endpoint !== endpoint) continue;
    const line = `${init.method} ${url}: ${status ?? 'no response'}`;
    calls.set(line, (calls.get(line) ?? 0) + 1);
  }
  return [...calls].map(([line, times]) => (times === 1 ? line : `${line}, ${times} times`));
}

/** Why nothing that the examination has seen says anything about the hub; undefined: it does. */
export function describeUselessness({ exchanges }: Recorder, hosts: ReadonlySet<string>): string | undefined {
  const statuses = exchanges.flatMap(({ status }) => status ?? []);
  if (statuses.length === 0) {
    if (hosts.size === 0) return 'no request was sent';
    return `no response from ${[...hosts].join(' and ')}; check the address and the network`;
  }
  if (statuses.some((status) => status >= 200 && status < 300)) return undefined;
  const isRefused = statuses.some((status) => status >= 300 && status < 500 && status !== 429);
  const remedy = isRefused ? 'check HUB_BASE_URL, HUB_BASE_PATH and the credentials' : 'try again later';
  return `nothing could be tested: no request was successful; ${remedy}`;
}

export function limitOf(recorder: Recorder, endpoint: EndpointName): number | undefined {
  const limit = responsesOf(recorder, endpoint).at(-1)?.headers['x-ratelimit-limit']?.trim() ?? '';
  return /^\d{1,9}$/.test(limit) ? Number(limit) : undefined;
}

/** What all responses together show. */
export function observeAll(recorder: Recorder, truncate: Truncate): readonly string[] {
  const { exchanges } = recorder;
  const responses = exchanges.filter(({ status }) => status !== undefined);
  const withLimitHeaders = responses.filter(
    ({ headers }) => headers['x-ratelimit-limit'] !== undefined,
  ).length;
  const rateLimited = responses.filter(({ status }) => status === 429);
  const [aheadMs = 0] = responses
    .map(({ headers, respondedAt }) => Date.parse(headers.date ?? '') - respondedAt)
    .filter((ms) => !Number.isNaN(ms));
  const tokens = exchanges.filter(({ endpoint }) => endpoint === 'token').length;
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return [
    `the doctor has sent ${formatCount(exchanges.length, 'request')}, ${tokens} of them for a token`,
    ...ENDPOINT_NAMES.flatMap((endpoint) => {
      const limit = limitOf(recorder, endpoint) ?? 0;
      return limit > ENDPOINTS[endpoint].limit
        ? [`${endpoint}: X-RateLimit-Limit is ${limit}, more than in the spec; the window is not known`]
        : [];
    }),
    withLimitHeaders === 0
      ? 'sends no X-RateLimit headers; the client applies the limits of Spec §8'
      : `sends X-RateLimit headers in ${withLimitHeaders} of ${responses.length} responses`,
    ...rateLimited.map(
      ({ url, headers }) =>
        `429 at ${truncate(new URL(url).pathname, 80)}, Retry-After: ${truncate(headers['retry-after'] ?? 'none', 60)}`,
    ),
    ...(rateLimited.length === 0 ? ['no response was 429, so the form of Retry-After is unknown'] : []),
    ...(Math.abs(aheadMs) > 5000
      ? [`the hub's clock is ${formatDuration(Math.abs(aheadMs))} ${direction} this machine's clock`]
      : []),
  ];
}

/** Issues grouped by code, what they are against, and path, the most frequent first. */
export function observeIssues(issues: readonly Issue[], truncate: Truncate): readonly string[] {
  const kinds = new Map<string, { count: number; path: string; first: Issue }>();
  for (const issue of issues) {
    const path = issue.path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
    const kind = kinds.get(`${issue.code} ${issue.against} ${path}`);
    if (kind) kind.count += 1;
    else kinds.set(`${issue.code} ${issue.against} ${path}`, { count: 1, path, first: issue });
  }
  const sorted = [...kinds.values()].sort((one, other) => other.count - one.count);
  return [
    ...(issues.length > 0
      ? [`${formatCount(issues.length, 'issue')} of ${formatCount(kinds.size, 'kind')}`]
      : []),
    ...sorted
      .slice(0, MAX_LISTED)
      .map(
        ({ count, path, first }) =>
          `  ${count} × ${first.code} ${truncate(path, 80)}: ${truncate(first.message, 160)} (${formatAgainst(first.against)})`,
      ),
    ...(sorted.length > MAX_LISTED ? [`  and ${sorted.length - MAX_LISTED} more kinds`] : []),
  ];
}
