import { Command, InvalidArgumentError, Option } from 'commander';
import { describeError } from './describe-error.js';
import { interruption } from './interruption.js';
import type { Terminal } from './terminal.js';
import { readSnapshot, type Snapshot } from './top/snapshot.js';
import { fetchText } from './top/source.js';
import { viewOf } from './top/view.js';

interface TopOptions {
  readonly url: string;
  readonly interval: number;
  readonly once?: boolean;
}

export function topCommand(terminal: Terminal): Command {
  return new Command('top')
    .description(
      'Shows a fleet: its stores, their last polls, and which of them fail. Sends nothing to the hub.',
    )
    .addOption(
      new Option(
        '--url <url>',
        'where the application publishes its health as JSON, see docs/observability.md',
      )
        .makeOptionMandatory()
        .argParser(webAddress),
    )
    .addOption(new Option('--interval <seconds>', 'seconds between two reads').default(2).argParser(seconds))
    .option('--once', 'print all stores once, then exit (default if the output is not a terminal)')
    .action((options: TopOptions) => top(terminal, options));
}

async function top(terminal: Terminal, { url, interval, once = false }: TopOptions): Promise<void> {
  const { clock } = terminal;
  const { signal, release } = interruption();
  const read = async () => readSnapshot(await fetchText(url, clock, signal));
  let snapshot: Snapshot;
  let at = clock.now();
  let failure: string | undefined;
  const view = (rows: number) =>
    viewOf(snapshot, { terminal, url, at, now: clock.now(), columns: terminal.columns, rows, failure });
  try {
    snapshot = await read();
    if (once || !terminal.hasScreen) {
      for (const line of view(Number.POSITIVE_INFINITY)) await terminal.line(line);
      return;
    }
    terminal.openScreen();
    while (!signal.aborted) {
      await terminal.showScreen(view(terminal.rows));
      await clock.sleep(interval * 1000, signal);
      try {
        snapshot = await read();
        at = clock.now();
        failure = undefined;
      } catch (error) {
        failure = describeError(error);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    terminal.closeScreen();
    release();
  }
}

function webAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('It must be an http or https address.');
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 1 && value <= 3600) return value;
  throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.');
}
