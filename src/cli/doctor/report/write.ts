import { formatCount } from '../../format.js';
import type { Terminal } from '../../terminal.js';
import { writeFile } from '../../write-file.js';
import type { ComparedReport } from '../baseline/compare.js';
import { htmlOf } from './html.js';
import { junitOf } from './junit.js';

const WRITERS = {
  html: htmlOf,
  json: (report: ComparedReport) => JSON.stringify(report, undefined, 2),
  junit: junitOf,
};

export type ReportFormat = keyof typeof WRITERS;

export const REPORT_FORMATS = Object.keys(WRITERS) as readonly ReportFormat[];

const OPTION = '--output';

/**
 * Writes a report to a file, or to stdout.
 *
 * @throws {ConfigurationError} the file cannot be written any more.
 */
export async function writeReport(
  terminal: Terminal,
  report: ComparedReport,
  format: ReportFormat,
  output: string | undefined,
): Promise<void> {
  const text = WRITERS[format](report).trimEnd();
  if (output === undefined) return terminal.page(text);
  writeFile(OPTION, output, `${terminal.sanitizePage(text)}\n`);
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
  writeFile(OPTION, output, '', 'a');
}
