import { writeFileSync } from 'node:fs';
import { ConfigurationError } from '../../../errors/index.js';
import { formatCount } from '../../format.js';
import { describeFileError } from '../../read-file.js';
import type { Terminal } from '../../terminal.js';
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
