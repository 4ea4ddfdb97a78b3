import { statSync } from 'node:fs';
import { Command } from 'commander';
import { ConfigurationError, isHubError } from '../errors/index.js';
import { profileOption } from '../options/profile.js';
import { isLoopback } from '../testing/loopback.js';
import type { Recording } from '../testing/recording.js';
import { replaceFile, writeFile } from './files.js';
import { formatCount, formatTimeOfDay } from './format.js';
import { addHostOptions, type HostOptions, hostOf } from './host-profile.js';
import { listenForInterruption } from './interruption.js';
import { describedListenError, PORT } from './mock/server-options.js';
import { addressFrom } from './parse-option.js';
import { type Forwarded, startProxy } from './record/proxy.js';
import { Recorder } from './record/recorder.js';
import { paint, styled } from './styled.js';
import type { Terminal } from './terminal.js';

interface RecordOptions extends HostOptions {
  readonly target: string;
  readonly out: string;
  readonly port: number;
}

/** A process that is killed loses at most this much of the evening, and the latest request. */
const SAVE_INTERVAL_MS = 60_000;

export function recordCommand(terminal: Terminal): Command {
  const command = new Command('record')
    .description(
      'Records an evening between your application and its hub, without personal data and secrets.',
    )
    .requiredOption(
      '--target <url>',
      'address of the real hub, without the base path',
      addressFrom('https://hub.example'),
    )
    .requiredOption('--out <file>', 'write the recording to this file at the end; mock --replay reads it')
    .option('--port <number>', 'port to listen on; 0 picks a free port', PORT, 4020);
  return addHostOptions(command).action((options: RecordOptions) => record(terminal, options));
}

async function record(terminal: Terminal, options: RecordOptions): Promise<void> {
  const { out, port } = options;
  const target = checkTarget(options.target);
  const { basePath, ...host } = await hostOf(options);
  const profile = profileOption.check('profile', host.profile);
  // Before the evening: an old recording stays as it is.
  writeFile('--out', out, '', 'a');
  const { clock } = terminal;
  const startedAt = clock.monotonic();
  const recorder = new Recorder({ baseUrl: target, basePath, profile, startedAt: clock.now() });
  const tokenUrl = profile.tokenUrl === undefined ? undefined : new URL(profile.tokenUrl);
  let savedAt = startedAt;
  const save = () => {
    savedAt = clock.monotonic();
    const recording = recorder.finish(savedAt - startedAt);
    // A full disk must not cost what was written before.
    replaceFile('--out', out, `${JSON.stringify(recording, undefined, 1)}\n`);
    return recording;
  };
  const onForwarded = (forwarded: Forwarded) => {
    const { response, failure, sentAt, ...request } = forwarded;
    const endpoint = recorder.endpointOf(request.method, request.path) ?? 'another address';
    const status = response ? String(response.status) : `no response (${failure})`;
    const colour = status.startsWith('2') ? 'green' : 'red';
    // Not the path: it has ids.
    const line = styled`${formatTimeOfDay(clock.now())}  ${paint(colour, status.padEnd(3))}  ${endpoint}`;
    void terminal.line(line).catch(() => {});
    if (!response) return;
    try {
      recorder.add({
        ...request,
        status: response.status,
        responseBody: response.body,
        sentAtMs: sentAt - startedAt,
        respondedAtMs: clock.monotonic() - startedAt,
      });
      if (clock.monotonic() - savedAt >= SAVE_INTERVAL_MS) save();
    } catch (error) {
      // The application goes on. What an unexpected error says may quote the response.
      const { name, message } = error as Error;
      terminal.note(isHubError(error) ? message : `a response was not recorded: ${name}`);
    }
  };
  const proxy = await startProxy({
    originOf: (path) => (tokenUrl?.pathname === path ? tokenUrl.origin : target),
    port,
    now: () => clock.monotonic(),
    onForwarded,
  }).catch((error: unknown) => {
    throw describedListenError(error as NodeJS.ErrnoException, { port, host: '127.0.0.1' });
  });
  using interruption = listenForInterruption();
  try {
    await terminal.line(styled`${paint('bold', 'recording')} at ${paint('cyan', proxy.url)}, for ${target}`);
    await terminal.line(
      'Set the baseUrl of your application to this address. Ctrl-C writes the recording and ends.',
    );
    if (tokenUrl)
      await terminal.line(`Set its tokenUrl to ${proxy.url}${tokenUrl.pathname}${tokenUrl.search}`);
    await interruption.interrupted;
  } finally {
    // Also if the terminal has gone: the evening will not come again.
    await proxy.close().catch(() => {});
    // An earlier evening is worth more than none.
    const { merchants, orders, events, commands } = recorder.finish(0);
    const isEmpty = merchants.length + orders.length + events.length + commands.length === 0;
    const isKept = isEmpty && (statSync(out, { throwIfNoEntry: false })?.size ?? 0) > 0;
    terminal.note(isKept ? `Nothing was recorded; ${out} stays as it is.` : writtenText(out, save()));
    if (recorder.stores > 1) {
      terminal.note(
        `${recorder.stores} stores have asked for a token, and the recording has them as one: record one store at a time.`,
      );
    }
  }
}

/** @returns the origin. */
function checkTarget(given: string): string {
  const { protocol, hostname, origin, pathname, search, username, password } = new URL(given);
  if (username !== '' || password !== '') {
    throw new ConfigurationError('--target', 'must not contain credentials; the application sends its own');
  }
  if (pathname !== '/' || search !== '') {
    throw new ConfigurationError(
      '--target',
      'must be an origin such as https://hub.example; use --base-path for the path',
    );
  }
  if (protocol === 'https:' || isLoopback(hostname)) return origin;
  throw new ConfigurationError('--target', 'must begin with https://, because the requests contain secrets');
}

function writtenText(out: string, { orders, events, commands }: Recording): string {
  const counts = [
    formatCount(orders.length, 'order'),
    formatCount(events.length, 'event'),
    formatCount(commands.length, 'command'),
  ];
  return `The recording was written to ${out}: ${counts.join(', ')}.`;
}
