import { ENDPOINT_NAMES } from '../../../hub/endpoints.js';
import { escaped } from '../../markup.js';
import { type ComparedReport, type Comparison, describeChange, describeRest } from '../baseline.js';
import type { Finding } from './report.js';

/**
 * The report as JUnit XML: a suite for each endpoint, a failure for each check that differs; with a baseline, a
 * suite with a failure for each change.
 */
export function junitOf({ hub, at, requests, summary, checks, comparison }: ComparedReport): string {
  const suites = ENDPOINT_NAMES.map((endpoint) => {
    const cases = checks.filter((check) => check.endpoint === endpoint);
    return `  <testsuite name="${endpoint}" ${countsOf(cases)} errors="0" time="0" timestamp="${at.slice(0, 19)}" hostname="${escaped(hub)}">
    <properties>
      <property name="requests" value="${requests.byEndpoint.find((each) => each.endpoint === endpoint)?.sent ?? 0}"/>
      <property name="keptLimits" value="${requests.keptLimits}"/>
${requests.calls
  .filter((call) => call.endpoint === endpoint)
  .map(({ method, url, status = 'no response' }) => `${method} ${url}: ${status}`)
  .map((call) => `      <property name="call" value="${escaped(call)}"/>`)
  .join('\n')}
    </properties>
${cases.map(caseOf).join('\n')}
  </testsuite>`;
  });
  const changes = comparison?.changes.length ?? 0;
  if (comparison) suites.push(changesOf(comparison));
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="opendelivery doctor" tests="${checks.length + (comparison ? changes + 1 : 0)}" failures="${summary.differs + changes}" errors="0" time="0">
${suites.join('\n')}
</testsuites>`;
}

/** A case for the comparison as a whole, and one for each change. */
function changesOf(comparison: Comparison): string {
  const { baseline, changes } = comparison;
  const open = (name: string) =>
    `    <testcase name="${escaped(name)}" classname="opendelivery.changes" time="0"`;
  const cases = changes.map(
    (change) =>
      `${open(`${change.id}: ${change.title}`)}>\n      <failure message="${escaped(describeChange(change))}" type="changed"/>\n    </testcase>`,
  );
  const rest = `      <system-out>${escaped(describeRest(comparison).join('\n'))}</system-out>`;
  const whole = `${open(`compared with the report of ${baseline.at}`)}>\n${rest}\n    </testcase>`;
  return `  <testsuite name="changes" tests="${changes.length + 1}" failures="${changes.length}" skipped="0" errors="0" time="0">
${[whole, ...cases].join('\n')}
  </testsuite>`;
}

function countsOf(cases: readonly Finding[]): string {
  const count = (result: Finding['result']) => cases.filter((each) => each.result === result).length;
  return `tests="${cases.length}" failures="${count('differs')}" skipped="${count('not_seen')}"`;
}

function caseOf(check: Finding): string {
  const { id, endpoint, title, section, standard, spec, client, result } = check;
  const open = `    <testcase name="${escaped(`${id}: ${title}`)}" classname="opendelivery.${endpoint}" time="0"`;
  const hub = check.hub.join('; ');
  if (result === 'as_described') return `${open}/>`;
  if (result === 'not_seen') return `${open}>\n      <skipped message="${escaped(hub)}"/>\n    </testcase>`;
  const text = [
    `This hub: ${hub}`,
    `Spec ${section}: ${spec}`,
    `Standard: ${standard}`,
    `The client: ${client}`,
  ].join('\n');
  return `${open}>
      <failure message="${escaped(hub)}" type="differs">${escaped(text)}</failure>
    </testcase>`;
}
