import type { Violation } from '../../testing/rules.js';
import { writeFile } from '../files.js';
import { formatCount } from '../format.js';
import { escaped } from '../markup.js';

/** Writes the violations of a whole run, also those that a reset has removed: suites reset before each test. */
export function writeViolations(path: string, violations: readonly Violation[], now: number): void {
  writeFile('--violations', path, junitOf(violations, now));
}

export function describeViolations(
  [first, ...others]: readonly Violation[],
  path: string | undefined,
): string {
  if (!first) return 'your application has broken no rule of the hub';
  const where = path === undefined ? '' : `; ${path} lists them`;
  const times = formatCount(others.length + 1, 'time');
  return `your application has broken the rules of the hub ${times}${where}. The first: ${first.message}`;
}

/** JUnit XML. CI systems refuse a file without a test, so no violation is a test that has passed. */
function junitOf(violations: readonly Violation[], now: number): string {
  const counts = `tests="${Math.max(violations.length, 1)}" failures="${violations.length}" errors="0" skipped="0" time="0"`;
  const cases = violations.length === 0 ? [PASSED] : violations.map(caseOf);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="opendelivery mock" ${counts}>
  <testsuite name="the rules of the hub" ${counts} timestamp="${new Date(now).toISOString().slice(0, 19)}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
}

const PASSED = '    <testcase name="no rule was broken" classname="opendelivery.mock" time="0"/>';

function caseOf({ rule, endpoint, at, message }: Violation, index: number): string {
  const open = `    <testcase name="${rule} (violation ${index + 1})" classname="opendelivery.mock.${endpoint ?? 'other'}" time="0">`;
  const text = `${message}\nat ${new Date(at).toISOString()} on the clock of the mock hub`;
  return `${open}
      <failure message="${xml(message)}" type="${rule}">${xml(text)}</failure>
    </testcase>`;
}

/** What XML 1.0 cannot contain, escaped or not: control characters, lone surrogates, U+FFFE and U+FFFF. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const xml = (text: string) => escaped(text.replace(NOT_XML, '\ufffd'));
