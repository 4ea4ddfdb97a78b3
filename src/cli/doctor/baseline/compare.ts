import type { EndpointName } from '../../../hub/endpoints.js';
import type { EndpointResult } from '../checks/observed.js';
import { type Finding, type Report, variationOf } from '../report/report.js';
import type { Baseline } from './read-baseline.js';

/** What a hub did, in a report. */
type Seen = Pick<Finding, 'result' | 'hub'>;

/** A check whose outcome is another one than in the baseline. */
export interface ChangedCheck extends Pick<Finding, 'id' | 'endpoint' | 'title'> {
  readonly before: Seen;
  readonly after: Seen;
}

/** What changed at a hub since an earlier report. */
export interface Comparison {
  readonly baseline: { readonly hub: string; readonly at: string };
  readonly changes: readonly ChangedCheck[];
  /** How many checks have the same outcome. */
  readonly unchanged: number;
  /** The checks that could not be compared, and why. */
  readonly notCompared: readonly { readonly id: string; readonly why: string }[];
  /** The endpoints that could not be examined now: of them nothing is known. */
  readonly failed: readonly EndpointName[];
}

/** A report, and if there was a baseline, the comparison with it. */
export type ComparedReport = Report & { readonly comparison?: Comparison };

/** Compares a report with an earlier one. A check is compared only if both reports have seen something. */
export function compare(baseline: Baseline, report: Report): Comparison {
  const hadEvents = (seen: Seen | undefined) => seen !== undefined && seen.result !== 'not_seen';
  const size = report.checks.find(({ id }) => id === 'polling.size');
  const isSameQueue = hadEvents(size) === hadEvents(baseline.checks.get('polling.size'));
  const failed = (Object.keys(report.endpoints) as EndpointName[]).filter((endpoint) =>
    isUnexamined(report.endpoints[endpoint]),
  );
  const changes: ChangedCheck[] = [];
  const notCompared: { id: string; why: string }[] = [];
  for (const check of report.checks) {
    const { id, endpoint, title } = check;
    const before = baseline.checks.get(id);
    const variation = variationOf(id);
    const why =
      whyNot(before, check) ??
      (failed.includes(endpoint) ? 'its endpoint could not be examined now' : undefined) ??
      (isUnexamined(baseline.endpoints[endpoint]) ? 'its endpoint failed in the baseline' : undefined) ??
      (variation === 'with_the_queue' && !isSameQueue ? 'events were pending in one report only' : undefined);
    if (why !== undefined || !before) notCompared.push({ id, why: why ?? 'the baseline does not have it' });
    else if (isChanged(before, check, variation)) {
      const { result, hub } = check;
      changes.push({ id, endpoint, title, before, after: { result, hub } });
    }
  }
  const unchanged = report.checks.length - changes.length - notCompared.length;
  return { baseline: { hub: baseline.hub, at: baseline.at }, changes, unchanged, notCompared, failed };
}

/** Codes of errors that say nothing lasting about a hub: the network, the credentials, a limit or a failure of the moment. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'connection',
  'timeout',
  'authentication',
  'rate_limit',
  'server',
]);

export const isUnexamined = (endpoint: EndpointResult | undefined): boolean =>
  endpoint?.result === 'busy' || (endpoint?.result === 'failed' && PASSING.has(endpoint.errorCode));

const NO_RESPONSE = 'no response: the connection failed';
const isServerError = ({ hub }: Seen) => hub.every((line) => /\bstatus 5\d\d$/.test(line));

function whyNot(before: Seen | undefined, after: Seen): string | undefined {
  if (before === undefined) return 'the baseline does not have it';
  if (before.result === 'not_seen') return 'not seen in the baseline';
  if (after.result === 'not_seen') return 'not seen now';
  if (before.hub.includes(NO_RESPONSE)) return 'no response in the baseline';
  if (after.hub.includes(NO_RESPONSE)) return 'no response now';
  return isServerError(after) && !isServerError(before) ? 'the hub failed now' : undefined;
}

function isChanged(before: Seen, after: Seen, variation: ReturnType<typeof variationOf>): boolean {
  if (before.result !== after.result) return true;
  if (variation === 'always') return false;
  // Another order may lack the fault that the last one had.
  if (variation === 'with_the_order') return newLines(before, after).length > 0;
  return newLines(before, after).length > 0 || newLines(after, before).length > 0;
}

const MORE = /^and \d+ more kinds?$/;

/** The sentences that a report has and another has not, without numbers that depend on how much was seen. */
export function newLines(before: Seen, after: Seen): readonly string[] {
  // A list that was cut may have had the sentence.
  if (before.hub.some((line) => MORE.test(line))) return [];
  const known = new Set(before.hub.map(steady));
  return after.hub.filter((line) => !MORE.test(line) && !isOfFailure(line) && !known.has(steady(line)));
}

const steady = (line: string) =>
  line.replace(/, \d+ times$/, '').replace(/^absent from \d+ of .*$/, 'absent');

/** A failure of the moment also has another body. */
const isOfFailure = (line: string) => /after status 5\d\d$/.test(line);
