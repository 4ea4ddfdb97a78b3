import { isHubError } from '../../../errors/index.js';
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../../../hub/endpoints.js';
import { type Check, notSeen, type Verdict } from '../checks/check.js';
import { commonChecks } from '../checks/common.js';
import { MERCHANT_CHECKS } from '../checks/merchant.js';
import { type EndpointResult, type Exchange, type Observed, pollOf } from '../checks/observed.js';
import { ORDER_CHECKS } from '../checks/orders.js';
import { POLLING_CHECKS } from '../checks/polling.js';
import { TOKEN_CHECKS } from '../checks/token.js';
import type { EndpointFinding } from '../examine.js';
import type { Recorder } from '../recorder.js';

const OWN = [...TOKEN_CHECKS, ...POLLING_CHECKS, ...ORDER_CHECKS, ...MERCHANT_CHECKS];

/** Every check, by endpoint: its own, then those that all have. A new check is one row of a table. */
export const CHECKS: readonly Check[] = ENDPOINT_NAMES.flatMap((endpoint) => [
  ...OWN.filter((check) => check.endpoint === endpoint),
  ...commonChecks(endpoint),
]);

export interface Finding extends Omit<Check, 'examine' | 'varies'> {
  readonly result: Verdict['result'];
  readonly hub: readonly string[];
}

/** The requests that were sent to an endpoint, and its limit (Spec §8). */
interface SentRequests {
  readonly endpoint: EndpointName;
  readonly sent: number;
  readonly limit: number;
  readonly windowMs: number;
  /** The most requests in any window of that length. */
  readonly mostInWindow: number;
}

/** A request of the examination. */
export interface Call {
  readonly endpoint: EndpointName;
  readonly method: string;
  /** Without a query. The id of an order that the hub has named is `{orderId}`. */
  readonly url: string;
  /** Absent: there was no response. */
  readonly status?: number;
}

/** The report on a hub: what `--report json` prints. It contains no text that the hub has sent. */
export interface Report {
  /** Host and port. */
  readonly hub: string;
  /** ISO 8601. */
  readonly at: string;
  /** The endpoints that were examined, and those that were not. */
  readonly endpoints: Readonly<Partial<Record<EndpointName, EndpointResult>>>;
  readonly requests: {
    readonly sent: number;
    readonly keptLimits: boolean;
    readonly byEndpoint: readonly SentRequests[];
    /** Every request, in the order in which they were sent. */
    readonly calls: readonly Call[];
  };
  readonly summary: Readonly<Record<Verdict['result'], number>>;
  readonly checks: readonly Finding[];
}

/** The report on what an examination has seen so far. */
export function makeReport(recorder: Recorder, findings: readonly EndpointFinding[], at: number): Report {
  // Without what the hub said: the message of an error may quote it.
  const results = findings.map(({ endpoint, result, error }) => [
    endpoint,
    { result, ...(isHubError(error) && { errorCode: error.code }) },
  ]);
  return reportOn(
    { exchanges: withoutFollowUps(recorder), results: Object.fromEntries(results) },
    { hub: recorder.hosts.join(', '), at, calls: callsOf(recorder) },
  );
}

/** After a 422 of a command the client reads the order: that of a random id is not the order that was tested. */
function withoutFollowUps({ exchanges }: Recorder): readonly Exchange[] {
  const command = exchanges.findIndex(({ endpoint }) => endpoint === 'orderStatus');
  const isFollowUp = ({ endpoint, purpose }: Exchange, index: number) =>
    command !== -1 && index > command && endpoint === 'order' && purpose === 'first';
  return exchanges.map((each, index) => (isFollowUp(each, index) ? { ...each, purpose: 'again' } : each));
}

/** A report has no data of the hub, so the ids that it has sent are left out; those of the doctor are random. */
function callsOf(recorder: Recorder): readonly Call[] {
  const polls = [pollOf(recorder), pollOf(recorder, 'again')];
  const events = polls.flatMap((poll) => poll?.events ?? []);
  const orderIds = new Set(events.map(({ orderId }) => encodeURIComponent(orderId)));
  return recorder.exchanges.map(({ endpoint, url, init, status }) => {
    const { origin, pathname } = new URL(url);
    const path = pathname.split('/').map((segment) => (orderIds.has(segment) ? '{orderId}' : segment));
    const call = { endpoint, method: init.method, url: origin + path.join('/') };
    return { ...call, ...(status !== undefined && { status }) };
  });
}

/** Examines what was observed. The same observations give the same report. */
export function reportOn(
  observed: Observed,
  { hub, at, calls }: { readonly hub: string; readonly at: number; readonly calls: readonly Call[] },
): Report {
  const checks = CHECKS.map(({ examine, varies: _, ...row }) => {
    const { result, did } = withinStack(() => examine(observed));
    return { ...row, result, hub: did };
  });
  const count = (result: Verdict['result']) => checks.filter((each) => each.result === result).length;
  const byEndpoint = ENDPOINT_NAMES.map((endpoint) => sentTo(observed, endpoint));
  return {
    hub,
    at: new Date(at).toISOString(),
    endpoints: observed.results,
    requests: {
      sent: observed.exchanges.length,
      keptLimits: byEndpoint.every(({ mostInWindow, limit }) => mostInWindow <= limit),
      byEndpoint,
      calls,
    },
    summary: { differs: count('differs'), as_described: count('as_described'), not_seen: count('not_seen') },
    checks,
  };
}

/** A document may be nested deeper than the stack of this process allows. */
function withinStack(examine: () => Verdict): Verdict {
  try {
    return examine();
  } catch (error) {
    if (error instanceof RangeError) return notSeen('the document is nested too deeply to be compared');
    throw error;
  }
}

function sentTo({ exchanges }: Observed, endpoint: EndpointName): SentRequests {
  const { limit, windowMs } = ENDPOINTS[endpoint];
  const times = exchanges.filter((each) => each.endpoint === endpoint).map(({ at }) => at);
  const inWindowAt = times.map((start) => times.filter((at) => at >= start && at < start + windowMs).length);
  return { endpoint, sent: times.length, limit, windowMs, mostInWindow: Math.max(0, ...inWindowAt) };
}
