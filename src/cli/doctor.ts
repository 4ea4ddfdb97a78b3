import { Command, Option } from 'commander';
import { ConfigurationError } from '../errors/index.js';
import { ENDPOINT_NAMES, ENDPOINTS } from '../hub/endpoints.js';
import type { HostProfile } from '../hub/profile.js';
import { memoryState } from '../state/memory-state.js';
import type { State } from '../state/port.js';
import { fileState } from '../state/sqlite/file-state.js';
import {
  addConnectionOptions,
  type ConnectionOptions,
  clientOf,
  MAX_WAIT_MS,
  readConnection,
} from './connect.js';
import { EXIT, exitCodeOf } from './describe-error.js';
import {
  type ComparedReport,
  compare,
  describeChange,
  describeRest,
  isUnexamined,
  readBaseline,
  type Since,
  sinceBaseline,
} from './doctor/baseline.js';
import { Clients } from './doctor/clients.js';
import { type EndpointFinding, examine, shortLines } from './doctor/examine.js';
import { foundProfile, observeAll, observeCalls, whyInconclusive } from './doctor/observations.js';
import { Recorder } from './doctor/recorder.js';
import { htmlOf } from './doctor/report/html.js';
import { junitOf } from './doctor/report/junit.js';
import { sendMore } from './doctor/report/more-requests.js';
import { makeReport, type Report } from './doctor/report/report.js';
import { writeFile } from './files.js';
import { formatCount } from './format.js';
import { type Colour, paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

/** What `--report` can be. */
const WRITERS = {
  html: htmlOf,
  json: (report: ComparedReport) => JSON.stringify(report, undefined, 2),
  junit: junitOf,
};

interface DoctorOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly readOnly?: boolean;
  readonly report?: keyof typeof WRITERS;
  readonly output?: string;
  readonly baseline?: string;
}

/** How a program runs the doctor again and again. */
interface DoctorRuns {
  /** Of all runs: they keep the limits together, and use one token. */
  readonly state: State;
  /** How long a rate limit is waited for. */
  readonly maxWaitMs: number;
  /** Ends the requests of a run, and so the run. */
  readonly ending: AbortSignal;
}

/** @param runs - absent: one run, which waits up to 65 seconds, and whose state is that of `--state`, or its own. */
export function doctorCommand(terminal: Terminal, runs?: DoctorRuns): Command {
  return addConnectionOptions(new Command('doctor'))
    .description('Tests each endpoint once, within the limits, and reports how this hub behaves.')
    .option('--read-only', 'skip the two endpoints that write (they are tested with random ids)')
    .option('--json', 'print one JSON document')
    .addOption(
      new Option('--report <format>', 'compare this hub with the standard and the spec, in one document')
        .choices(Object.keys(WRITERS))
        .conflicts('json'),
    )
    .option('--output <file>', 'write the report to this file, not to stdout')
    .option('--baseline <file>', 'say what has changed since this JSON report; exit code 6 if something has')
    .action((options: DoctorOptions) => doctor(terminal, options, runs));
}

async function doctor(
  terminal: Terminal,
  options: DoctorOptions,
  runs: DoctorRuns | undefined,
): Promise<void> {
  const { json, report: format, output } = options;
  const { clock } = terminal;
  if (output !== undefined && format === undefined) {
    throw new ConfigurationError('--output', 'is the file of a report; pass --report too');
  }
  const connection = await readConnection(terminal, options);
  // Before the output: it may be the same file.
  const baseline =
    options.baseline === undefined ? undefined : readBaseline(options.baseline, connection.baseUrl);
  // Before any request. An old report stays as it is.
  if (output !== undefined) writeFile('--output', output, '', 'a');
  const kept = options.state === undefined ? runs?.state : fileState(options.state);
  const recorder = new Recorder(terminal, runs?.ending);
  const clientOptions = {
    fetch: recorder.fetch,
    retry: { attempts: 1 },
    rateLimit: { mode: 'throw' },
    state: kept === undefined ? memoryState() : withoutMerchantCache(kept),
  } as const;
  await using clients = new Clients(connection.profile ?? {}, (profile) => {
    const client = clientOf(terminal, connection, 'either', { ...clientOptions, profile });
    recorder.watch(client);
    return client;
  });
  let hub = clients.open();
  const search = async (error: unknown) => {
    const found = await clients.search(terminal, connection, error);
    hub = found ?? hub;
    return found;
  };
  const { maxWaitMs = MAX_WAIT_MS } = runs ?? {};
  const readOnly = options.readOnly === true;
  const findings: EndpointFinding[] = [];
  for await (const found of examine({ hub, search, recorder, terminal, readOnly, maxWaitMs })) {
    const calls = shortLines(terminal, observeCalls(found.endpoint, recorder));
    const finding = { ...found, says: [...found.says, ...calls] };
    findings.push(finding);
    const title = `${finding.endpoint} (Spec ${ENDPOINTS[finding.endpoint].section})`;
    if (!json && !format) await report(terminal, title, finding);
  }
  if (format || baseline) {
    const more = { hub, recorder, clock };
    await terminal.withStatus('sending the further requests of the report', () => sendMore(more));
  }
  const result = worst(findings);
  const inconclusive = whyInconclusive(recorder);
  const overall = shortLines(terminal, [...observeAll(recorder, inconclusive, findings, clients.refused)]);
  const { basePath = clients.profile.basePath, tokenUrl = clients.profile.tokenUrl } = connection;
  const profile =
    inconclusive === undefined
      ? foundProfile({ ...clients.profile, basePath, tokenUrl }, recorder)
      : undefined;
  const seen = makeReport(recorder, findings, clock.now());
  const comparison = baseline && compare(baseline, seen);
  const document = { ...seen, ...(comparison && { comparison }) };
  if (format) {
    await writeReport(terminal, document, format, output);
  } else if (json) {
    const plain = findings.map(({ error: _, ...finding }) => finding);
    await terminal.json({ findings: plain, result, overall, profile, report: document }, 2);
  } else {
    await report(terminal, 'this hub', { result, says: overall });
    if (profile) await reportProfile(terminal, profile, seen);
    if (comparison) {
      const lines = [...comparison.changes.map(describeChange), ...describeRest(comparison)];
      const says = shortLines(terminal, [...lines, ...furtherCalls(recorder)]);
      await report(terminal, `since ${comparison.baseline.at}`, { result: sinceBaseline(comparison), says });
    }
  }
  // An endpoint that responds in another way is a change, not a failed examination.
  const isExamined = !Object.values(seen.endpoints).some(isUnexamined);
  if (comparison && comparison.changes.length > 0 && isExamined) terminal.exitCode = EXIT.changed;
  else if (result !== 'ok') {
    terminal.exitCode = exitCodeOf(findings.find((finding) => finding.result === result)?.error);
  }
}

/** @throws {ConfigurationError} the file cannot be written any more. */
async function writeReport(
  terminal: Terminal,
  document: ComparedReport,
  format: keyof typeof WRITERS,
  output: string | undefined,
): Promise<void> {
  const text = WRITERS[format](document).trimEnd();
  if (output === undefined) return terminal.page(text);
  writeFile('--output', output, `${terminal.sanitizePage(text)}\n`);
  const differences = formatCount(document.summary.differs, 'difference');
  const requests = formatCount(document.requests.sent, 'request');
  terminal.note(`The report was written to ${output}: ${differences}, ${requests}.`);
}

async function reportProfile(terminal: Terminal, profile: HostProfile, seen: Report): Promise<void> {
  if (Object.keys(profile).length > 0) {
    await terminal.line('Its profile, for --profile and the option `profile`, without headers and a signer:');
    await terminal.json(profile, 2);
    return;
  }
  const { differs, as_described: asDescribed } = seen.summary;
  const isComplete = Object.values(seen.endpoints).every(
    ({ result }) => result === 'ok' || result === 'skipped',
  );
  if (!isComplete) return;
  await terminal.line(
    differs === 0
      ? 'This hub needs no profile: all tested behaviour is as in the spec.'
      : `This hub needs no profile. Of ${asDescribed + differs} checks, ${differs} differ from the spec; --report html lists them.`,
  );
}

/** The requests that were sent for the comparison only, after those of the endpoints. */
function furtherCalls({ exchanges }: Recorder): readonly string[] {
  const further = { exchanges: exchanges.filter(({ purpose }) => purpose !== 'first') };
  return ENDPOINT_NAMES.flatMap((endpoint) => observeCalls(endpoint, further));
}

/** The worst result of all endpoints. `skipped` only if all were skipped. */
function worst(findings: readonly EndpointFinding[]): EndpointFinding['result'] {
  const results = new Set(findings.map(({ result }) => result));
  return (['failed', 'busy', 'ok'] as const).find((result) => results.has(result)) ?? 'skipped';
}

const MARKS = {
  ok: ['green', 'ok'],
  failed: ['red', 'FAILED'],
  busy: ['yellow', 'busy'],
  skipped: ['dim', 'skipped'],
  changed: ['yellow', 'CHANGED'],
  same: ['green', 'same'],
  unknown: ['yellow', 'UNKNOWN'],
} as const satisfies Record<EndpointFinding['result'] | Since, readonly [Colour, string]>;

async function report(
  terminal: Terminal,
  title: string,
  { result, says }: { readonly result: keyof typeof MARKS; readonly says: readonly string[] },
): Promise<void> {
  const [colour, mark] = MARKS[result];
  await terminal.line(styled`${paint(colour, mark.padEnd(7))}  ${paint('bold', title)}`);
  for (const each of says) await terminal.line(`           ${each}`);
}

/** A cached merchant document would hide a failure of the merchant endpoint: this state never has one. */
const withoutMerchantCache = (state: State): State =>
  new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (key: unknown, ...others: unknown[]) =>
        String(key).startsWith('merchant:') ? undefined : member.call(target, key, ...others);
    },
  });
