import { writeFileSync } from 'node:fs';
import { ConfigurationError, isHubError } from '../../../errors/index.js';
import { formatCount } from '../../format.js';
import { describeFileError } from '../../read-file.js';
import type { Terminal } from '../../terminal.js';
import type { Observed } from '../checks/observed.js';
import type { Finding } from '../probe.js';
import { htmlOf } from './html.js';
import { junitOf } from './junit.js';
import { type MoreRequests, sendMore } from './more-requests.js';
import { type Report, reportOn } from './report.js';

const WRITERS = {
  html: htmlOf,
  json: (report: Report) => JSON.stringify(report, undefined, 2),
  junit: junitOf,
};

export type ReportFormat = keyof typeof WRITERS;

export const REPORT_FORMATS = Object.keys(WRITERS) as readonly ReportFormat[];

interface ReportOptions extends MoreRequests {
  readonly terminal: Terminal;
  readonly findings: readonly Finding[];
  readonly hosts: ReadonlySet<string>;
  readonly format: ReportFormat;
  /** A file; undefined: stdout. */
  readonly output: string | undefined;
}

/**
 * Sends the further requests of the report, and writes it.
 *
 * @throws {ConfigurationError} the file cannot be written any more.
 */
export async function writeReport(options: ReportOptions): Promise<void> {
  const { recorder, terminal, findings, hosts, format, output } = options;
  await terminal.withStatus('sending the further requests of the report', () => sendMore(options));
  const observed = { exchanges: recorder.exchanges, results: resultsOf(findings) };
  const report = reportOn(observed, [...hosts].join(', '), terminal.clock.now());
  const text = WRITERS[format](report).trimEnd();
  if (output === undefined) return terminal.page(text);
  writeTo(output, `${terminal.sanitizePage(text)}\n`);
  const differences = formatCount(report.summary.differs, 'difference');
  terminal.note(
    `The report was written to ${output}: ${differences}, ${formatCount(report.requests.sent, 'request')}.`,
  );
}

/**
 * Checks that a report can be written, before any request is sent. An old report stays as it is.
 *
 * @throws {ConfigurationError} the file cannot be written.
 */
export function checkOutput(output: string): void {
  writeTo(output, '', 'a');
}

function writeTo(output: string, text: string, flag: 'a' | 'w' = 'w'): void {
  try {
    writeFileSync(output, text, { flag });
  } catch (error) {
    throw new ConfigurationError('--output', `${output} cannot be written: ${describeFileError(error)}`);
  }
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
