import { Command } from 'commander';
import { startPushes, stopPushes } from '../testing/control-pushes.js';
import { createMockHub } from '../testing/create-mock-hub.js';
import { playEvening } from '../testing/evening.js';
import type { JournalEntry } from '../testing/journal.js';
import { ManualClock } from '../testing/manual-clock.js';
import type { MockHub } from '../testing/mock-hub.js';
import { checkRecording } from '../testing/recording.js';
import type { Violation } from '../testing/rules.js';
import { scaledClock } from '../testing/scaled-clock.js';
import { type Clock, systemClock } from '../time/clock.js';
import { EXIT } from './describe-error.js';
import { readJsonFile, writeFile } from './files.js';
import { addHostOptions, type HostOptions, hostOf } from './host-profile.js';
import { listenForInterruption } from './interruption.js';
import { describeViolations, junitOf, requestLine, welcomeLines } from './mock/output.js';
import { addServerOptions, listenWith, reachLines, type ServerOptions } from './mock/server-options.js';
import { addSwitches, switchesOf } from './mock/switches.js';
import { addressFrom, numberFrom } from './parse-option.js';
import { Styled } from './styled.js';
import type { Terminal } from './terminal.js';

/** Plays a script until it ends, or the signal aborts. */
export type ScriptPlayer = (mock: MockHub, clock: Clock, signal: AbortSignal) => Promise<void>;

export interface MockOptions extends ServerOptions, HostOptions {
  readonly scale: number;
  readonly faults?: number;
  readonly seed: string;
  readonly store?: string;
  /** A name of `SCRIPTS`, or a file. */
  readonly script?: string;
  readonly push?: string;
  readonly failOnViolations?: boolean;
  /** A file. */
  readonly violations?: string;
  readonly replay?: string;
  readonly [other: string]: unknown;
}

export const NOT_NEGATIVE = numberFrom(
  'a number of at least 0',
  (value) => value >= 0 && Number.isFinite(value),
);
const SHARE = numberFrom('a number from 0 to 1', (value) => value >= 0 && value <= 1);

const SCRIPTS: Readonly<Record<string, ScriptPlayer>> = { evening: playEvening };

export function mockCommand(terminal: Terminal): Command {
  const command = addServerOptions(new Command('mock'))
    .description('Serves a mock hub over HTTP, for applications in any language.')
    .option(
      '--scale <factor>',
      'speed of the clock; at 60, a minute takes a second; at 0, only POST /_mock/clock moves it',
      NOT_NEGATIVE,
      1,
    )
    .option('--faults <rate>', 'share of requests that fail, from 0 to 1', SHARE)
    .option('--seed <seed>', 'the same seed causes the same faults', '1')
    .option('--store <file>', 'JSON file: a merchant document, or { "stores": [...] }')
    .option('--script <name>', 'create orders automatically: evening, or a file that the console has saved')
    .option(
      '--push <url>',
      'push the events of all stores to this webhook, beside polling',
      addressFrom('http://127.0.0.1:3000/newEvent'),
    )
    .option('--fail-on-violations', 'exit with 1 if your application has broken a rule of the hub')
    .option('--violations <file>', 'write what it has broken to this file, as JUnit XML, at the end')
    .option('--replay <file>', 'play a file of `record`: its orders, events and menu, at the first store');
  return addSwitches(addHostOptions(command)).action((options: MockOptions) => mock(terminal, options));
}

async function mock(terminal: Terminal, options: MockOptions): Promise<void> {
  const { scale, faults, seed, store, script } = options;
  const { profile, basePath } = await hostOf(options);
  const clock = clockOf(terminal.clock, scale);
  const play = script === undefined ? undefined : await readScript(script);
  let broken: readonly Violation[] = [];
  // Nobody takes the report of an earlier run for that of this one.
  if (options.violations !== undefined) writeFile('--violations', options.violations, '');
  const hub = createMockHub({
    ...switchesOf(options),
    clock,
    profile,
    basePath,
    onReset: (removed) => {
      broken = [...broken, ...removed];
    },
    onRequest: (entry: JournalEntry) => void terminal.line(requestLine(entry)).catch(() => {}),
    ...(options.replay !== undefined && {
      replay: checkRecording('--replay', readJsonFile('--replay', options.replay)),
    }),
    ...(store !== undefined && { stores: (await importFiles()).readStoresFile(store) }),
  });
  if (faults !== undefined) hub.faults.random({ seed, rate: faults });
  if (options.push !== undefined) startPushes(hub, { url: options.push });
  const server = await listenWith(hub, options);
  using interruption = listenForInterruption();
  const { signal, interrupted } = interruption;
  try {
    const { url } = server;
    const allowed = options.allowed === true;
    for (const line of welcomeLines({ ...options, profile, basePath, allowed, url, stores: hub.stores })) {
      await (line instanceof Styled ? terminal.line(line) : terminal.unwrapped(line));
    }
    for (const line of reachLines(options)) await terminal.line(line);
    const played = play?.(hub, clock, signal).then(
      // Also if nobody reads the lines any more.
      () => terminal.line(`the script '${script}' has ended; the mock hub keeps running`).catch(() => {}),
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    // A script that fails ends the command; a script that ends does not.
    await Promise.race([interrupted, played?.then(() => interrupted) ?? interrupted]);
    await server.close();
    await played;
  } finally {
    // Also if writing the first lines failed (`| head -1`): an open server would keep the process alive.
    await server.close().catch(() => {});
    stopPushes(hub);
    broken = [...broken, ...hub.violations()];
    // Of the whole run: suites reset before each test.
    if (options.violations !== undefined) {
      writeFile('--violations', options.violations, junitOf(broken, clock.now()));
    }
  }
  if (options.failOnViolations || options.violations !== undefined) {
    terminal.note(describeViolations(broken, options.violations));
  }
  if (options.failOnViolations && broken.length > 0) terminal.exitCode = EXIT.violations;
}

/** At speed 0, a clock that stands still until a request advances it. */
export function clockOf(given: Clock, scale: number): Clock {
  if (scale === 0) return new ManualClock(given.now());
  // Real time too is a clock that the console can move, unless a test brings its own.
  return scale === 1 && given !== systemClock ? given : scaledClock(scale);
}

/** Loads zod, which the other commands do not need. */
const importFiles = () => import('./mock/input-files.js');

/** @throws {ConfigurationError} it is neither a name nor a script. */
async function readScript(script: string): Promise<ScriptPlayer> {
  const named = Object.hasOwn(SCRIPTS, script) ? SCRIPTS[script] : undefined;
  return named ?? (await importFiles()).readScriptFile(script, Object.keys(SCRIPTS));
}
