import { ENDPOINTS } from '../endpoints.js';
import { fileState } from '../state/file/file-state.js';
import { type ConnectionOptions, connect } from './connect.js';
import { examine, type Finding } from './examine.js';
import { EXIT, exitCodeOf } from './exit.js';
import { Recorder } from './recorder.js';
import { overallRemarks } from './remarks.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';
import { withoutMenu } from './without-menu.js';

export interface DoctorCommandOptions extends ConnectionOptions {
  readonly json?: boolean;
  readonly readOnly?: boolean;
}

type Result = Finding['result'];

/** Tries each endpoint once, and says what this hub does where the spec is silent. */
export async function doctor(terminal: Terminal, options: DoctorCommandOptions): Promise<number> {
  const { clock } = terminal;
  const recorder = new Recorder(clock, terminal.redactor);
  const hosts = new Set<string>();
  await using hub = connect(terminal, options, 'either', {
    logger: false,
    clock,
    fetch: (url, init) => {
      hosts.add(new URL(url).host);
      return recorder.fetch(url, init);
    },
    retry: { attempts: 1 },
    rateLimit: { mode: 'throw' },
    // The hub is asked for its menu; a kept copy would hide its failure.
    state: options.state === undefined ? undefined : withoutMenu(fileState(options.state)),
  });
  const findings: Finding[] = [];
  for await (const finding of examine({ hub, recorder, terminal, readOnly: options.readOnly === true })) {
    findings.push(finding);
    const { section } = ENDPOINTS[finding.endpoint];
    if (!options.json) await report(terminal, `${finding.endpoint} (Spec ${section})`, finding);
  }
  const result = worst(findings);
  const failed = findings.filter((finding) => finding.result === 'failed').length;
  const overall =
    recorder.count === 0
      ? [silence(hosts)]
      : [
          ...(failed > 0 ? [`${failed} of ${findings.length} endpoints failed`] : []),
          ...overallRemarks(recorder, (text, max) => terminal.quote(text, max)),
        ];
  if (options.json) {
    const plain = findings.map(({ error: _, ...finding }) => finding);
    await terminal.json({ findings: plain, result, overall }, 2);
  } else await report(terminal, 'this hub', { result, says: overall });
  if (result === 'ok') return EXIT.done;
  return exitCodeOf(findings.find((finding) => finding.result === result)?.error);
}

/** The whole is as good as its worst part; parts without credentials do not count. */
function worst(findings: readonly Finding[]): Result {
  const results = new Set(findings.map(({ result }) => result));
  return (['failed', 'busy', 'ok'] as const).find((result) => results.has(result)) ?? 'skipped';
}

function silence(hosts: ReadonlySet<string>): string {
  if (hosts.size === 0) return 'nothing was asked';
  return `no answer came from ${[...hosts].join(' and ')}; check the address and the network`;
}

const MARKS = {
  ok: ['green', 'ok'],
  failed: ['red', 'FAILED'],
  busy: ['yellow', 'busy'],
  skipped: ['dim', 'skipped'],
} as const;

async function report(
  terminal: Terminal,
  title: string,
  { result, says }: { readonly result: Result; readonly says: readonly string[] },
): Promise<void> {
  const [colour, mark] = MARKS[result];
  await terminal.line(styled`${paint(colour, mark.padEnd(7))}  ${paint('bold', title)}`);
  for (const each of says) await terminal.line(`           ${each}`);
}
