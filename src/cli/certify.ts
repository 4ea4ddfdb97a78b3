import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { ConfigurationError } from '../errors/index.js';
import { isObject } from '../reading/json.js';
import { stopPushes } from '../testing/control-pushes.js';
import { createMockHub } from '../testing/create-mock-hub.js';
import { durationMs } from '../testing/duration.js';
import type { ListeningHub } from '../testing/server.js';
import { startTimer } from '../time/clock.js';
import { applicationWithPerson, drivenApplication } from './certify/application.js';
import { Board } from './certify/board.js';
import type { ItemResult } from './certify/play.js';
import { type EarlyEnd, passedEarlier, rehearse } from './certify/rehearse.js';
import { RESULTS, type Report, WRITERS } from './certify/report.js';
import type { Script } from './certify/script.js';
import { SCRIPTS } from './certify/scripts/index.js';
import type { Stage } from './certify/stage.js';
import { type Language, TEXTS } from './certify/texts.js';
import { Watch } from './certify/watch.js';
import { EXIT } from './describe-error.js';
import { readJsonFile, writeFile } from './files.js';
import { hostNamed } from './host-profile.js';
import { listenForInterruption } from './interruption.js';
import { variableLines } from './mock/output.js';
import { listenWith, PORT } from './mock/server-options.js';
import { clockOf, NOT_NEGATIVE } from './mock.js';
import { addressFrom } from './parse-option.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

/** A script lasts at most 14 minutes of the hub: on a fast clock, its end takes some of them. */
const LIMIT_MS = durationMs('13m45s');

/** An application has at least this much real time to start. */
const START_REAL_MS = 50_000;

interface CertifyOptions {
  readonly drive?: string;
  readonly push?: string;
  readonly report?: keyof typeof WRITERS;
  readonly lang: Language;
  readonly port: number;
  readonly scale: number;
  readonly continue?: string;
}

const ADDRESS = addressFrom('http://127.0.0.1:3000/drive');
const NAMES = SCRIPTS.map(({ name }) => name).join(', ');

/** @param ending - ends the rehearsal early, as Ctrl-C does. */
export function certifyCommand(terminal: Terminal, ending?: AbortSignal): Command {
  return new Command('certify')
    .description("Rehearses a host's homologation with your application, in any language.")
    .argument('<script>', `what is rehearsed: ${NAMES}`)
    .option(
      '--drive <url>',
      'address that your application has for the rehearsal; without it, a person acts',
      ADDRESS,
    )
    .option('--push <url>', 'where your application receives pushes (default: <drive>/newEvent)', ADDRESS)
    .addOption(
      new Option(
        '--report <format>',
        'write a report to stdout (default: json if stdout is not a terminal)',
      ).choices(Object.keys(WRITERS)),
    )
    .addOption(
      new Option('--lang <language>', 'language of the report and the questions')
        .choices(Object.keys(TEXTS))
        .default('en'),
    )
    .option(
      '--continue <file>',
      'JSON file that keeps the results; items that were passed are not played again',
    )
    .option('--port <number>', 'port of the mock hub; 0 picks a free port', PORT, 4010)
    .option(
      '--scale <factor>',
      'speed of the clock, as of `mock`; the application must follow it',
      NOT_NEGATIVE,
      1,
    )
    .action((name: string, options: CertifyOptions) => certify(terminal, name, options, ending));
}

async function certify(
  terminal: Terminal,
  name: string,
  options: CertifyOptions,
  outer: AbortSignal | undefined,
): Promise<void> {
  const script = SCRIPTS.find((each) => each.name === name);
  if (!script) throw new ConfigurationError('script', `'${name}' is not known; the scripts are ${NAMES}`);
  const { scale, port, lang } = options;
  const drive = options.drive?.replace(/\/+$/, '');
  const clock = clockOf(terminal.clock, scale);
  const ending = new AbortController();
  // Every wait listens to it.
  setMaxListeners(0, ending.signal);
  const watch = new Watch(clock, ending.signal);
  const mock = createMockHub({
    clock,
    // The script decides what becomes of a request.
    cancellation: 'leave',
    allowed: true,
    ...(script.host !== undefined && { profile: hostNamed(script.host).profile }),
    onRequest: () => watch.changed(),
  });
  const texts = TEXTS[lang];
  const board = new Board(terminal, watch, script, lang);
  const server = await listenWith(mock, { port, host: '127.0.0.1', rehearsal: board });
  using interruption = listenForInterruption();
  const end = (why: EarlyEnd) => ending.abort(why);
  for (const each of [interruption.signal, outer]) each?.addEventListener('abort', () => end('interrupted'));
  // Before the mock hub was there.
  if (outer?.aborted) end('interrupted');
  const stage: Stage = {
    mock,
    clock,
    scale,
    watch,
    texts,
    language: lang,
    signal: ending.signal,
    overdue: new Set(),
    application: drive ? drivenApplication(drive, texts) : applicationWithPerson(board, texts),
    pushUrl: options.push ?? (drive && `${drive}/newEvent`),
  };
  try {
    const results = await play(terminal, script, stage, board, server, options, end);
    await finish(terminal, script, results, stage, options);
  } finally {
    await server.close().catch(() => {});
    stopPushes(mock);
  }
}

async function play(
  terminal: Terminal,
  script: Script,
  stage: Stage,
  board: Board,
  { url }: ListeningHub,
  options: CertifyOptions,
  end: (why: EarlyEnd) => void,
): Promise<readonly ItemResult[]> {
  const { mock, clock, texts, watch } = stage;
  const file = options.continue;
  const earlier = file === undefined ? new Map<string, ItemResult>() : readResults(file, script.name);
  const passed = passedEarlier(script, earlier);
  // Until they are played again, the results of the other items are those of the earlier rehearsal.
  const results = passed.size > 0 ? earlier : new Map<string, ItemResult>();
  const keep = () => {
    if (file === undefined) return;
    const kept = { script: script.name, items: [...results.values()] };
    writeFile(CONTINUE, file, `${JSON.stringify(kept, undefined, 2)}\n`);
  };
  // At once: a file that cannot be written is not found out after minutes.
  keep();
  welcome(terminal, script, stage, url);
  for (const result of passed.values()) board.kept(result);
  if (passed.size > 0) terminal.note(texts.kept(passed.size));
  else if ([...earlier.values()].some(({ result }) => result === 'passed')) terminal.note(texts.allAgain);
  if (passed.size < script.items.length) {
    const begun = watch.until(() => (mock.requests.length > 0 ? true : undefined), '14m', START_REAL_MS);
    // If it was interrupted, the items say so.
    if (!(await begun.catch(() => true))) end('noApplication');
  }
  const cancelLimit = startTimer(clock, LIMIT_MS, () => end('overTime'));
  try {
    return await rehearse(script, stage, passed, {
      begins: (id, evidence) => board.begins(id, evidence),
      ended(result) {
        results.set(result.id, result);
        keep();
        board.ended(result);
      },
    });
  } finally {
    cancelLimit();
  }
}

function welcome(terminal: Terminal, script: Script, { mock, texts, language }: Stage, url: string): void {
  terminal.note(styled`${paint('bold', 'mock hub')} at ${paint('cyan', url)}`);
  terminal.note(styled`console at ${paint('cyan', `${url}/_mock/ui#/rehearsal`)}`);
  terminal.note(texts.begins(script.title[language], script.items.length));
  terminal.note('');
  for (const line of variableLines(url, mock.stores)) terminal.verbatim('err', line);
  terminal.note('');
  terminal.note(texts.waitingForApplication);
}

async function finish(
  terminal: Terminal,
  script: Script,
  results: readonly ItemResult[],
  { clock, language, texts }: Stage,
  { report: format }: CertifyOptions,
): Promise<void> {
  const count = (result: ItemResult['result']) => results.filter((each) => each.result === result).length;
  const report: Report = { script, items: results, at: clock.now(), language };
  const writer = format ?? (terminal.hasScreen ? undefined : 'json');
  if (writer) await terminal.page(WRITERS[writer](report).trimEnd());
  terminal.note(RESULTS.map((each) => `${count(each)} ${texts.counted(count(each), each)}`).join(', '));
  if (count('passed') < results.length) terminal.exitCode = EXIT.unexpected;
}

const CONTINUE = '--continue';

/**
 * The results of an earlier rehearsal; none if the file does not exist yet.
 *
 * @throws {ConfigurationError} the file cannot be read, or is of another script.
 */
function readResults(path: string, script: string): Map<string, ItemResult> {
  if (!existsSync(path)) return new Map();
  const { script: of, items } = Object(readJsonFile(CONTINUE, path)) as Record<string, unknown>;
  if (of !== script || !Array.isArray(items)) {
    throw new ConfigurationError(
      CONTINUE,
      `${path} does not belong to the script ${script}; name another file`,
    );
  }
  const results = items.filter(
    (item): item is ItemResult => isObject(item) && 'id' in item && 'result' in item,
  );
  return new Map(results.map((item) => [item.id, item]));
}
