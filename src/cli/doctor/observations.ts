import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../../endpoints.js';
import type { Issue } from '../../errors.js';
import type { OrderEvent } from '../../schemas/event.js';
import { EVENT_TYPES } from '../../schemas/event-types.js';
import { formatAgainst, formatCount, formatDuration } from '../format.js';
import type { Recorder } from './recorder.js';

/** The largest number of event types, or kinds of issues, that are listed. */
const MAX_LISTED = 12;

/** Masks and truncates a text that the hub sent; see `Terminal.truncate`. */
export type Truncate = (text: string, max: number) => string;

/** The form of the token's lifetime (field notes: a number, a string, an instant, or missing). */
export function observeToken(recorder: Recorder): readonly string[] {
  const token = recorder.token();
  if (!token) return ['the token is from an earlier run, so the credentials were not checked'];
  if (token.json === undefined) return [];
  const { expires_in, expiresIn } = Object(token.json) as Record<string, unknown>;
  const lifetime = expires_in ?? expiresIn;
  if (lifetime === undefined || lifetime === null) return ['sends no token lifetime; one hour is assumed'];
  const number = Number(lifetime);
  const isInstant = number > 1e11;
  if (!((isInstant ? number - token.at : number) > 0)) {
    return ['sends an unusable token lifetime; one hour is assumed'];
  }
  if (isInstant) return ['sends the token lifetime as an instant, not in seconds'];
  return typeof lifetime === 'string' ? ['sends the token lifetime as a string'] : [];
}

/** The events of a poll, or the form of a poll without events. */
export function observePoll(
  events: readonly OrderEvent[],
  recorder: Recorder,
  truncate: Truncate,
): readonly string[] {
  if (events.length > 0) {
    const known: readonly string[] = EVENT_TYPES;
    const unknown = new Set(events.map(({ eventType }) => eventType).filter((type) => !known.includes(type)));
    return [
      `${formatCount(events.length, 'pending event')}; the doctor does not acknowledge events`,
      ...[...unknown]
        .slice(0, MAX_LISTED)
        .map((type) => `sends the event type ${truncate(type, 60)}, which is not in the spec`),
      ...(unknown.size > MAX_LISTED ? [`and ${unknown.size - MAX_LISTED} more event types`] : []),
    ];
  }
  const { status = 0, body } = recorder.poll() ?? {};
  // The recorded part may end in the middle of a secret, which cannot be masked: show none of it.
  if (body === undefined) return [`no events: ${status} with a body of more than 64 KiB`];
  return [`no events: ${status}${body === '' ? ' without a body' : ` with ${truncate(body, 40)}`}`];
}

/** Which addresses of an endpoint were called, and the statuses of their responses. */
export function observeCalls(endpoint: EndpointName, { sent }: Recorder): readonly string[] {
  const calls = new Map<string, number>();
  for (const { method, url, status, ...call } of sent) {
    if (call.endpoint !== endpoint) continue;
    const line = `${method} ${url}: ${status ?? 'no response'}`;
    calls.set(line, (calls.get(line) ?? 0) + 1);
  }
  return [...calls].map(([line, times]) => (times === 1 ? line : `${line}, ${times} times`));
}

/** Why nothing that the examination has seen says anything about the hub; undefined: it does. */
export function describeUselessness(
  { sent, count }: Recorder,
  hosts: ReadonlySet<string>,
): string | undefined {
  if (count === 0) {
    if (hosts.size === 0) return 'no request was sent';
    return `no response from ${[...hosts].join(' and ')}; check the address and the network`;
  }
  const statuses = sent.map(({ status = 0 }) => status);
  if (statuses.some((status) => status >= 200 && status < 300)) return undefined;
  const isRefused = statuses.some((status) => status >= 300 && status < 500 && status !== 429);
  const remedy = isRefused ? 'check HUB_BASE_URL, HUB_BASE_PATH and the credentials' : 'try again later';
  return `nothing could be tested: no request was successful; ${remedy}`;
}

/** What all responses together show. */
export function observeAll(recorder: Recorder, truncate: Truncate): readonly string[] {
  const { count, withLimitHeaders } = recorder;
  const rateLimited = recorder.rateLimited();
  const aheadMs = recorder.clockAheadMs() ?? 0;
  const { length: sent } = recorder.sent;
  const tokens = recorder.sent.filter(({ endpoint }) => endpoint === 'token').length;
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return [
    `the doctor has sent ${formatCount(sent, 'request')}, ${tokens} of them for a token`,
    ...ENDPOINT_NAMES.flatMap((endpoint) => {
      const limit = recorder.limitOf(endpoint) ?? 0;
      return limit > ENDPOINTS[endpoint].limit
        ? [`${endpoint}: X-RateLimit-Limit is ${limit}, more than in the spec; the window is not known`]
        : [];
    }),
    withLimitHeaders === 0
      ? 'sends no X-RateLimit headers; the client applies the limits of Spec §8'
      : `sends X-RateLimit headers in ${withLimitHeaders} of ${count} responses`,
    ...rateLimited.map(
      ({ path, retryAfter }) =>
        `429 at ${truncate(path, 80)}, Retry-After: ${retryAfter === null ? 'none' : truncate(retryAfter, 60)}`,
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
