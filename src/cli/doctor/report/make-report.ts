import { isHubError } from '../../../errors/index.js';
import type { Clock } from '../../../time/clock.js';
import { type Exchange, type Observed, pollOf } from '../checks/observed.js';
import type { Finding } from '../probe.js';
import type { Recorder } from '../recorder.js';
import { type Call, type Report, reportOn } from './report.js';

interface Examined {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly findings: readonly Finding[];
  readonly hosts: ReadonlySet<string>;
}

/** The report on what an examination has seen so far. */
export function makeReport({ recorder, clock, findings, hosts }: Examined): Report {
  const observed = { exchanges: withoutFollowUps(recorder), results: resultsOf(findings) };
  return reportOn(observed, { hub: [...hosts].join(', '), at: clock.now(), calls: callsOf(recorder) });
}

/** After a 422 of a command the client reads the order: that of a random id is not the order that was tested. */
function withoutFollowUps({ exchanges }: Recorder): Observed['exchanges'] {
  const command = exchanges.findIndex(({ endpoint }) => endpoint === 'orderStatus');
  const isFollowUp = ({ endpoint, purpose }: Exchange, index: number) =>
    command !== -1 && index > command && endpoint === 'order' && purpose === 'first';
  return exchanges.map((each, index) => (isFollowUp(each, index) ? { ...each, purpose: 'again' } : each));
}

/** Without what the hub said: the message of an error may quote it. */
function resultsOf(findings: readonly Finding[]): Observed['results'] {
  return Object.fromEntries(
    findings.map(({ endpoint, result, error }) => [
      endpoint,
      { result, ...(isHubError(error) && { errorCode: error.code }) },
    ]),
  );
}

/** A report has no data of the hub, so the ids that it has sent are left out; those of the doctor are random. */
function callsOf(recorder: Recorder): readonly Call[] {
  const orderIds = new Set(
    (['first', 'again'] as const).flatMap((purpose) =>
      (pollOf(recorder, purpose)?.value ?? []).map(({ orderId }) => encodeURIComponent(orderId)),
    ),
  );
  return recorder.exchanges.map(({ endpoint, url, init, status }) => {
    const { origin, pathname } = new URL(url);
    const path = pathname.split('/').map((segment) => (orderIds.has(segment) ? '{orderId}' : segment));
    const call = { endpoint, method: init.method, url: origin + path.join('/') };
    return { ...call, ...(status !== undefined && { status }) };
  });
}
