import { Command, Option } from 'commander';
import { ConfigurationError } from '../errors/index.js';
import { ENDPOINT_NAMES, ENDPOINTS } from '../hub/endpoints.js';
import type { HostProfile } from '../hub/profile.js';
import { memoryState } from '../state/memory-state.js';
import type { State } from '../state/port.js';
import { fileState } from '../state/sqlite/file-state.js';
import { addConnectionOptions, type ConnectionOptions, MAX_WAIT_MS } from './connect.js';
import { EXIT, exitCodeOf } from './describe-error.js';
import { compare, isUnexamined } from './doctor/baseline/compare.js';
import { describeChange, describeRest, type Since, sinceBaseline } from './doctor/baseline/describe.js';
import { readBaseline } from './doctor/baseline/read-baseline.js';
import { Clients } from './doctor/clients.js';
import { examine } from './doctor/examine.js';
import { foundProfile } from './doctor/found-profile.js';
import { describeUselessness, observeAll, observeCalls, type Truncate } from './doctor/observations.js';
import type { Finding } from './doctor/probe.js';
import { Recorder } from './doctor/recorder.js';
import { makeReport } from './doctor/report/make-report.js';
import { sendMore } from './doctor/report/more-requests.js';
import type { Report } from './doctor/report/report.js';
import { checkOutput, REPORT_FORMATS, type ReportFormat, writeReport } from './doctor/report/write.js';
import { Environment } from './environment.js';
import { readProfile } from './profile-file.js';
import { type Colour, paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

interface DoctorOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly readOnly?: boolean;
  readonly report?: ReportFormat;
  readonly output?: string;
  readonly baseline?: string;
}

type Result = Finding['result'];

/** An address with a long prefix and its status, or a change. */
const MAX_CALL_LENGTH = 300;

/** How a program runs the doctor again and again. */
export interface DoctorRuns {
  /** Of all runs: they keep the limits together, and use one token. */
  readonly state: State;
  /** How long a rate limit is waited for. */
  readonly maxWaitMs: number;
  /** Ends the requests of a run, and so the run. */
  readonly ending: AbortSignal;
}

/** @param runs - absent: one run, which waits up to 65 seconds, and whose state is that of `--state`, or its own. */
export function doctorCommand(
  terminal: Terminal,
  setExitCode: (code: number) => void,
  runs?: DoctorRuns,
): Command {
  return addConnectionOptions(new Command('doctor'))
    .description('Tests each endpoint once, within the limits, and reports how this hub behaves.')
    .option('--read-only', 'skip the two endpoints that write (they are tested with random ids)')
    .option('--json', 'print one JSON document')
    .addOption(
      new Option('--report <format>', 'compare this hub with the standard and the spec, in one document')
        .choices(REPORT_FORMATS)
        .conflicts('json'),
    )
    .option('--output <file>', 'write the report to this file, not to stdout')
    .option('--baseline <file>', 'say what has changed since this JSON report; exit code 6 if something has')
    .action(async (options: DoctorOptions) => setExitCode(await doctor(terminal, options, runs)));
}

async function doctor(
  terminal: Terminal,
  given: DoctorOptions,
  runs: DoctorRuns | undefined,
): Promise<number> {
  const environment = Environment.read(given.env);
  const basePathGiven = given.basePath ?? environment.get('HUB_BASE_PATH')?.value;
  const options = { ...given, ...(basePathGiven !== undefined && { basePath: basePathGiven }) };
  const { clock } = terminal;
  if (options.output !== undefined && options.report === undefined) {
    throw new ConfigurationError('--output', 'is the file of a report; pass --report too');
  }
  const baseUrl = options.baseUrl ?? environment.get('HUB_BASE_URL')?.value;
  // Before the output: it may be the same file.
  const baseline = options.baseline === undefined ? undefined : readBaseline(options.baseline, baseUrl);
  if (options.output !== undefined) checkOutput(options.output);
  const kept = options.state === undefined ? runs?.state : fileState(options.state);
  const recorder = new Recorder(clock, terminal.redactor, runs?.ending);
  const hosts = new Set<string>();
  await using clients = new Clients(terminal, recorder, options, {
    fetch: (url, init) => {
      hosts.add(new URL(url).host);
      return recorder.fetch(url, init);
    },
    retry: { attempts: 1 },
    rateLimit: { mode: 'throw' },
    // A cached merchant document would hide a failure of the merchant endpoint.
    state: kept === undefined ? memoryState() : withoutMerchantCache(kept),
    profile: options.profile === undefined ? {} : await readProfile(options.profile),
  });
  const hub = await clients.first();
  const findings: Finding[] = [];
  const search = (error: unknown) => clients.search(error);
  const readOnly = options.readOnly === true;
  const { maxWaitMs = MAX_WAIT_MS } = runs ?? {};
  const truncate: Truncate = (text, max) => terminal.truncate(text, max);
  for await (const found of examine({ hub, search, recorder, terminal, readOnly, maxWaitMs })) {
    const calls = observeCalls(found.endpoint, recorder).map((call) => truncate(call, MAX_CALL_LENGTH));
    const finding = { ...found, says: [...found.says, ...calls] };
    findings.push(finding);
    const { section } = ENDPOINTS[finding.endpoint];
    if (!options.json && !options.report)
      await report(terminal, `${finding.endpoint} (Spec ${section})`, finding);
  }
  if (options.report || baseline) {
    const more = { hub: clients.current, recorder, clock };
    await terminal.withStatus('sending the further requests of the report', () => sendMore(more));
  }
  const result = worst(findings);
  const failed = findings.filter((finding) => finding.result === 'failed').length;
  const { refused } = clients;
  const useless = describeUselessness(recorder, hosts);
  const overall = [
    ...(useless === undefined ? [] : [useless]),
    ...(failed > 0 ? [`${failed} of ${findings.length} endpoints failed`] : []),
    ...(refused.length > 0 ? [`also refuses the token request with ${refused.join(', ')}`] : []),
    ...observeAll(recorder, truncate),
  ];
  // Without any response, nothing else can be said.
  const hasResponse = recorder.exchanges.some(({ status }) => status !== undefined);
  const said = hasResponse ? overall : overall.slice(0, 1);
  const { basePath = clients.profile.basePath, tokenUrl = clients.profile.tokenUrl } = options;
  const profile =
    useless === undefined ? foundProfile({ ...clients.profile, basePath, tokenUrl }, recorder) : undefined;
  const seen = makeReport({ recorder, clock, findings, hosts });
  const comparison = baseline && compare(baseline, seen);
  const document = { ...seen, ...(comparison && { comparison }) };
  if (options.report) {
    await writeReport(terminal, document, options.report, options.output);
  } else if (options.json) {
    const plain = findings.map(({ error: _, ...finding }) => finding);
    await terminal.json({ findings: plain, result, overall: said, profile, report: document }, 2);
  } else {
    await report(terminal, 'this hub', { result, says: said });
    if (profile) await reportProfile(terminal, profile, seen);
    if (comparison) {
      const { changes, baseline: last } = comparison;
      const lines = [...changes.map(describeChange), ...describeRest(comparison), ...furtherCalls(recorder)];
      const says = lines.map((line) => truncate(line, MAX_CALL_LENGTH));
      await report(terminal, `since ${last.at}`, { result: sinceBaseline(comparison), says });
    }
  }
  const failure = findings.find((finding) => finding.result === result)?.error;
  // An endpoint that responds in another way is a change, not a failed examination.
  const isExamined = !Object.values(seen.endpoints).some(isUnexamined);
  if (comparison && comparison.changes.length > 0 && isExamined) return EXIT.changed;
  return result === 'ok' ? EXIT.done : exitCodeOf(failure);
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
function worst(findings: readonly Finding[]): Result {
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
} as const satisfies Record<Result | Since, readonly [Colour, string]>;

async function report(
  terminal: Terminal,
  title: string,
  { result, says }: { readonly result: keyof typeof MARKS; readonly says: readonly string[] },
): Promise<void> {
  const [colour, mark] = MARKS[result];
  await terminal.line(styled`${paint(colour, mark.padEnd(7))}  ${paint('bold', title)}`);
  for (const each of says) await terminal.line(`           ${each}`);
}

/** A state without cached merchant documents: it never returns one, and ignores writes of them. */
function withoutMerchantCache(state: State): State {
  const isMerchant = (key: string) => key.startsWith('merchant:');
  const overrides: Partial<State> = {
    get: (key, clock) => (isMerchant(key) ? undefined : state.get(key, clock)),
    set: (key, value, options, clock) =>
      isMerchant(key) ? undefined : state.set(key, value, options, clock),
  };
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(overrides, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
