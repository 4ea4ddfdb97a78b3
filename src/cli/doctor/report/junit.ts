import { ENDPOINT_NAMES } from '../../../hub/endpoints.js';
import { escaped } from '../../markup.js';
import type { Finding, Report } from './report.js';

/** The report as JUnit XML: a suite for each endpoint, a failure for each check that differs. */
export function junitOf({ hub, at, requests, summary, checks }: Report): string {
  const suites = ENDPOINT_NAMES.map((endpoint) => {
    const cases = checks.filter((check) => check.endpoint === endpoint);
    return `  <testsuite name="${endpoint}" ${countsOf(cases)} errors="0" time="0" timestamp="${at.slice(0, 19)}" hostname="${escaped(hub)}">
    <properties>
      <property name="requests" value="${requests.byEndpoint.find((each) => each.endpoint === endpoint)?.sent ?? 0}"/>
      <property name="keptLimits" value="${requests.keptLimits}"/>
    </properties>
${cases.map(caseOf).join('\n')}
  </testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="opendelivery doctor" tests="${checks.length}" failures="${summary.differs}" errors="0" time="0">
${suites.join('\n')}
</testsuites>`;
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
