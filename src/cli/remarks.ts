import type { Issue } from '../errors.js';
import { EVENT_TYPES, type OrderEvent } from '../schemas/event.js';
import type { Recorder } from './recorder.js';
import { lasting } from './spoken.js';

/** Of a list that the hub makes as long as it likes, this many entries are shown. */
const MAX_KINDS = 12;

/** Cuts a text of the hub's and masks it first; see `Terminal.quote`. */
export type Quote = (text: string, max: number) => string;

/** How the token answer gives the lifetime (field notes: a number, a string, an instant, or not at all). */
export function tokenRemarks(recorder: Recorder): readonly string[] {
  const token = recorder.token();
  if (!token) return ['kept by an earlier run: the hub was not asked, so the credentials were not tried'];
  if (token.answer === undefined) return [];
  const { expires_in, expiresIn } = Object(token.answer) as Record<string, unknown>;
  const given = expires_in ?? expiresIn;
  if (given === undefined || given === null) return ['says no lifetime; one hour is assumed'];
  const number = Number(given);
  const isInstant = number > 1e11;
  if (!((isInstant ? number - token.at : number) > 0))
    return ['says no lifetime that can be used; one hour is assumed'];
  if (isInstant) return ['says the expiry as an instant, not in seconds'];
  return typeof given === 'string' ? ['says the lifetime as a string'] : [];
}

/** What a poll brought, or how one without events looks. */
export function pollRemarks(
  events: readonly OrderEvent[],
  recorder: Recorder,
  quote: Quote,
): readonly string[] {
  if (events.length > 0) {
    const known: readonly string[] = EVENT_TYPES;
    const unknown = new Set(events.map(({ eventType }) => eventType).filter((type) => !known.includes(type)));
    return [
      `${events.length} events wait; none of them is acknowledged`,
      ...[...unknown]
        .slice(0, MAX_KINDS)
        .map((type) => `sends the type ${quote(type, 60)}, which the spec does not know`),
      ...(unknown.size > MAX_KINDS ? [`and ${unknown.size - MAX_KINDS} types more`] : []),
    ];
  }
  const { status = 0, body } = recorder.poll() ?? {};
  // A body that was cut may end with half a secret, which nothing recognizes: none of it is shown.
  if (body === undefined) return [`no events: ${status} with a body of more than 64 KiB`];
  return [`no events: ${status}${body === '' ? ' without a body' : ` with ${quote(body, 40)}`}`];
}

/** What is true of all answers. */
export function overallRemarks(recorder: Recorder, quote: Quote): readonly string[] {
  const { count, limited } = recorder;
  const refusals = recorder.refusals();
  const aheadMs = recorder.aheadMs() ?? 0;
  return [
    limited === 0
      ? 'sends no X-RateLimit headers; the limits of Spec §8 are kept without them'
      : `sends X-RateLimit headers on ${limited} of ${count} answers`,
    ...refusals.map(
      ({ path, retryAfter }) =>
        `429 at ${quote(path, 80)}, Retry-After: ${retryAfter === null ? 'none' : quote(retryAfter, 60)}`,
    ),
    ...(refusals.length === 0 ? ['no 429 came, so the form of Retry-After was not seen'] : []),
    ...(Math.abs(aheadMs) > 5000
      ? [`its clock is ${lasting(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`]
      : []),
  ];
}

/** Issues by kind, the most frequent first. */
export function issueRemarks(issues: readonly Issue[], quote: Quote): readonly string[] {
  const kinds = new Map<string, { count: number; place: string; first: Issue }>();
  for (const issue of issues) {
    const place = issue.path.map((key) => (typeof key === 'number' ? '*' : key)).join('.');
    const kind = kinds.get(`${issue.code} ${place}`);
    if (kind) kind.count += 1;
    else kinds.set(`${issue.code} ${place}`, { count: 1, place, first: issue });
  }
  const sorted = [...kinds.values()].sort((one, other) => other.count - one.count);
  return [
    ...(issues.length > 0 ? [`${issues.length} issues of ${kinds.size} kinds`] : []),
    ...sorted
      .slice(0, MAX_KINDS)
      .map(
        ({ count, place, first }) =>
          `  ${count} × ${first.code} ${quote(place, 80)}: ${quote(first.message, 160)}`,
      ),
    ...(sorted.length > MAX_KINDS ? [`  and ${sorted.length - MAX_KINDS} kinds more`] : []),
  ];
}
