import * as z from 'zod';
import { ConfigurationError } from '../../errors/index.js';
import type { EndpointName } from '../../hub/endpoints.js';
import { isObject } from '../../reading/json.js';
import { hostNameOf, isLoopback } from '../../testing/loopback.js';
import { parseInput } from '../../testing/parse-input.js';
import { readJsonFile } from '../files.js';
import { formatCount, shortened } from '../format.js';
import type { Variation } from './checks/check.js';
import { CONNECTION_FAILED, NO_ORDER } from './checks/common.js';
import type { EndpointResult } from './checks/observed.js';
import { CHECKS, type Finding, type Report } from './report/report.js';

/** What a hub did, in a report. */
type Seen = Pick<Finding, 'result' | 'hub'>;

/** What is compared of an earlier report. */
const comparable = z.object({
  hub: z.string(),
  at: z.iso.datetime(),
  endpoints: z.record(
    z.string(),
    z.object({
      result: z.enum(['ok', 'failed', 'busy', 'skipped']),
      errorCode: z.string().exactOptional(),
    }),
  ),
  checks: z
    .array(
      z.object({
        id: z.string(),
        result: z.enum(['as_described', 'differs', 'not_seen']),
        hub: z.array(z.string()),
      }),
    )
    .min(1),
});

type Baseline = ReturnType<typeof readBaseline>;

const OPTION = '--baseline';
const REMEDY = 'make one with `opendelivery doctor --report json --output <file>`';

/**
 * Reads a report of `doctor --report json`, or the one in a document of `doctor --json`.
 *
 * @param baseUrl - the hub that will be compared with it; undefined: it is not known yet.
 */
export function readBaseline(path: string, baseUrl: string | undefined) {
  const refusal = (problem: string) => new ConfigurationError(OPTION, `${path} ${problem}; ${REMEDY}`);
  const document = readJsonFile(OPTION, path);
  const given = isObject(document) && 'findings' in document ? document.report : document;
  const report = parseInput(comparable, given, (mistakes) =>
    refusal(`is not a report of the doctor: ${mistakes}`),
  );
  const { hub } = report;
  if (baseUrl !== undefined && URL.canParse(baseUrl) && !isSameHub(hub.split(', '), new URL(baseUrl).host)) {
    throw refusal(`is a report on ${hub || 'no hub'}, not on ${new URL(baseUrl).host}`);
  }
  if (!Object.values(report.endpoints).some(({ result }) => result === 'ok')) {
    throw refusal('is the report of an examination that failed');
  }
  return { ...report, checks: new Map(report.checks.map(({ id, ...seen }) => [id, seen])) };
}

const isHere = (host: string) => isLoopback(hostNameOf(host) ?? '');

/** A hub on this machine, such as the mock hub, may have another port each time. */
function isSameHub(before: readonly string[], host: string): boolean {
  return before.includes(host) || (isHere(host) && before.some(isHere));
}

/** A check whose outcome is another one than in the baseline. */
interface ChangedCheck extends Pick<Finding, 'id' | 'endpoint' | 'title'> {
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
  const now = new Map(report.checks.map((check) => [check.id, check]));
  const hadEvents = (checks: ReadonlyMap<string, Seen>) =>
    (checks.get('polling.size')?.result ?? 'not_seen') !== 'not_seen';
  const isSameQueue = hadEvents(now) === hadEvents(baseline.checks);
  const failed = (Object.keys(report.endpoints) as EndpointName[]).filter((endpoint) =>
    isUnexamined(report.endpoints[endpoint]),
  );
  const changes: ChangedCheck[] = [];
  const notCompared: { id: string; why: string }[] = [];
  const whyNot = (endpoint: EndpointName, before: Seen, after: Seen, varies: Variation | undefined) => {
    if (before.result === 'not_seen') return 'not seen in the baseline';
    if (after.result === 'not_seen') return 'not seen now';
    if (before.hub.includes(CONNECTION_FAILED)) return 'no response in the baseline';
    if (after.hub.includes(CONNECTION_FAILED)) return 'no response now';
    if (isServerError(after) && !isServerError(before)) return 'the hub failed now';
    if (failed.includes(endpoint)) return 'its endpoint could not be examined now';
    if (isUnexamined(baseline.endpoints[endpoint])) return 'its endpoint failed in the baseline';
    if (varies === 'with_the_queue' && !isSameQueue) return 'events were pending in one report only';
    return undefined;
  };
  for (const { id, endpoint, title, result, hub } of report.checks) {
    const [before, after] = [baseline.checks.get(id), { result, hub }];
    const varies = CHECKS.find((check) => check.id === id)?.varies;
    const why = before ? whyNot(endpoint, before, after, varies) : 'the baseline does not have it';
    if (why !== undefined) notCompared.push({ id, why });
    else if (before && isChanged(before, after, varies)) changes.push({ id, endpoint, title, before, after });
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

const isServerError = ({ hub }: Seen) => hub.every((line) => /\bstatus 5\d\d$/.test(line));

function isChanged(before: Seen, after: Seen, variation: Variation | undefined): boolean {
  const hasMore = newLines(before, after).length > 0;
  // Another order may lack the faults that the last one had.
  if (variation === 'with_the_order' && !before.hub.includes(NO_ORDER))
    return after.result === 'differs' && hasMore;
  if (before.result !== after.result) return true;
  return variation !== 'always' && (hasMore || newLines(after, before).length > 0);
}

const MORE = /^and \d+ more kinds?$/;

/** The sentences that a report has and another has not, without numbers that depend on how much was seen. */
function newLines(before: Seen, after: Seen): readonly string[] {
  // A list that was cut may have had the sentence.
  if (before.hub.some((line) => MORE.test(line))) return [];
  const known = new Set(before.hub.map(steady));
  return after.hub.filter((line) => !MORE.test(line) && !isOfFailure(line) && !known.has(steady(line)));
}

const steady = (line: string) =>
  line.replace(/, \d+ times$/, '').replace(/^absent from \d+ of .*$/, 'absent');

/** A failure of the moment also has another body. */
const isOfFailure = (line: string) => /after status 5\d\d$/.test(line);

/** Sentences of one check that are shown; the JSON document has all. */
export const MAX_LINES = 3;

/** What is known of a hub since the baseline: `unknown` if an endpoint could not be examined, and no change was seen. */
export type Since = 'changed' | 'same' | 'unknown';

export function sinceBaseline({ changes, unchanged, failed }: Comparison): Since {
  if (changes.length > 0) return 'changed';
  return failed.length > 0 || unchanged === 0 ? 'unknown' : 'same';
}

/** What else there is to say of a comparison, besides its changes. */
export function describeRest(comparison: Comparison): readonly string[] {
  const { unchanged, notCompared, failed } = comparison;
  const since = sinceBaseline(comparison);
  const others = notCompared.filter(({ why }) => !why.startsWith('not seen'));
  return [
    ...(since === 'unknown' ? ['it is not known whether this hub has changed'] : []),
    ...(failed.length > 0 ? [`could not be examined now: ${failed.join(', ')}`] : []),
    `${formatCount(unchanged, 'check')} without a change, ${notCompared.length} not compared`,
    ...others.filter(({ why }) => !why.startsWith('its endpoint')).map(({ id, why }) => `  ${id}: ${why}`),
  ];
}

/** One change: what the hub did before, and what it does now. */
export function describeChange({ id, title, before, after }: ChangedCheck): string {
  const [lost, found] = [newLines(after, before), newLines(before, after)];
  const was = shortened(lost.length > 0 ? lost : before.hub, MAX_LINES);
  const is = shortened(found.length > 0 ? found : after.hub, MAX_LINES);
  return `${title} (${id}): was: ${was.join(', ')}; now: ${is.join(', ')}`;
}
